# The program `findling` in a container.
#
#   docker build --tag findling .
#   docker run --rm --user "$(id -u)" --volume "$PWD:/site" findling build public -o public/findling
#
# The image contains the program and the certificates for downloads of models, and nothing else.
# Models stay in the volume /models.

FROM rust:1-alpine AS build
RUN apk add --no-cache build-base nodejs npm
WORKDIR /findling
COPY . .
RUN rustup target add wasm32-unknown-unknown \
 && cargo xtask wasm \
 && cargo xtask client \
 && cargo build --release --locked --package findling \
 && mkdir /empty

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /findling/target/release/findling /usr/bin/findling
COPY --from=build --chmod=1777 /empty /models
COPY --from=build --chmod=1777 /empty /tmp
ENV FINDLING_HOME=/models
VOLUME /models
WORKDIR /site
ENTRYPOINT ["/usr/bin/findling"]
