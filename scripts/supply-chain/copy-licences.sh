#!/bin/sh
# Copies the licences of everything in the k6 binary: the extension's, Go's, and those of all modules, a folder for each.
#   cd scenarios/extension && sh copy-licences.sh FOLDER
set -eu
mkdir -p "$1/go"
cp LICENSE "$1/"
cp "$(go env GOROOT)/LICENSE" "$1/go/"
go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' . | sort -u >"$1/modules"
while read -r module folder; do
  mkdir -p "$1/$module"
  find "$folder" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) -exec cp {} "$1/$module/" \;
done <"$1/modules"
rm "$1/modules"
cat >"$1/SOURCE" <<'END'
This k6 was modified by Assay and is licensed under the AGPL-3.0-only. Its complete source, with all modules and the script that
builds it offline, is the npm package @assay-load/k6-source of the version of this image. An image that was built between two
releases is built from scenarios/extension of its commit, whose go.mod and go.sum name k6 and every module.
END
