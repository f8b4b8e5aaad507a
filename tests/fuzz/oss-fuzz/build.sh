#!/bin/bash -eu
# Builds the fuzz targets for OSS-Fuzz. The program `sources` is copied under the name of each kind
# of file, which it reads.
cd "$SRC/findling/tests/fuzz"
export CUSTOM_LIBFUZZER_PATH="$LIB_FUZZING_ENGINE_DEPRECATED"
cargo build --release --target x86_64-unknown-linux-gnu
programs=target/x86_64-unknown-linux-gnu/release
cp "$programs/shards" "$programs/bytes" "$programs/requests" "$OUT/"
for seeds in seeds/*/; do
  kind=$(basename "$seeds")
  cp "$programs/sources" "$OUT/$kind"
  zip -q -j "$OUT/${kind}_seed_corpus.zip" "$seeds"*
  if [ -d "regressions/$kind" ]; then
    zip -q -j "$OUT/${kind}_seed_corpus.zip" "regressions/$kind/"*
  fi
done
