#!/bin/sh
# Prints nDCG@10 and recall@10 of lexical, semantic and hybrid search for every judged set in a
# directory. Queries are embedded by the static encoder, by the transformer as it is, and by the
# transformer as `findling models prepare` makes it for readers (`prepared`).
#
#     sh build/tables/quality.sh SETS [TABLE]
#
# A set is a directory with corpus.jsonl (or site/), queries.jsonl and qrels.tsv. The environment
# variable FINDLING names the program.
set -eu
findling=${FINDLING:-findling}
sets=$1
table=${2:+--table $2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$findling" models prepare -o "$work/prepared" >/dev/null
printf '%-22s %-12s %-9s %8s %10s\n' set encoder mode nDCG@10 recall@10
for set in "$sets"/*/; do
    name=$(basename "$set")
    input=$set/corpus.jsonl
    [ -d "$set/site" ] && input=$set/site
    # shellcheck disable=SC2086
    "$findling" build "$input" -o "$work/$name" --no-client --query-encoder static $table \
        >/dev/null 2>&1
    # Streamed: vectors of those cells only that a browser would fetch.
    for encoder in static "static --streamed" transformer "$work/prepared"; do
        # shellcheck disable=SC2086
        "$findling" eval "$work/$name" --queries "$set/queries.jsonl" --qrels "$set/qrels.tsv" \
            --query-encoder $encoder |
            awk -v set="$name" -v encoder="$(basename "${encoder#static --}")" '
                $1 ~ /^(lexical|semantic|hybrid)$/ {
                    printf "%-22s %-12s %-9s %8s %10s\n", set, encoder, $1, $2, $3
                }'
    done
    rm -rf "${work:?}/$name"
done
