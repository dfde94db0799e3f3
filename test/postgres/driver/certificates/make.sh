#!/bin/sh
# Makes the certificates of tls.test.ts again, for a hundred years. They are stored because not every machine has openssl.
# The keys protect nothing. The key of the CA is thrown away.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }
key "$work/ca.key"
key server-test-only.key
key client-test-only.key
openssl req -x509 -key "$work/ca.key" -subj "/CN=Holdfast test CA" -days 36500 -out ca.pem
openssl req -x509 -key server-test-only.key -subj "/CN=localhost" -addext subjectAltName=DNS:localhost -days 36500 \
  -out self-signed.pem

# sign <file> <key> <name> <first day> <last day>
touch "$work/index"
printf '[ca]\ndefault_ca=d\n[d]\ndatabase=%s/index\nnew_certs_dir=%s\nrand_serial=yes\nunique_subject=no\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n' \
  "$work" "$work" >"$work/ca.cnf"
sign() {
  openssl req -new -key "$2" -subj "/CN=$3" -out "$work/request"
  printf 'subjectAltName=DNS:%s\n' "$3" >"$work/names"
  openssl ca -batch -notext -config "$work/ca.cnf" -extfile "$work/names" -cert ca.pem -keyfile "$work/ca.key" \
    -startdate "$4" -enddate "$5" -in "$work/request" -out "$1"
}
sign server.pem server-test-only.key localhost 20260101000000Z 21260101000000Z
sign other-name.pem server-test-only.key db.example.com 20260101000000Z 21260101000000Z
sign expired.pem server-test-only.key localhost 20200101000000Z 20210101000000Z
sign client.pem client-test-only.key carl 20260101000000Z 21260101000000Z
