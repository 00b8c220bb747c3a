# k6 with Assay's extension, and what k6-operator and `assay k8s` call beside it: the image of runners in a cluster.
#
#   npm run release -- --dry-run linux-x64 linux-arm64
#   docker buildx build --sbom=true --provenance=mode=max --platform linux/amd64,linux/arm64 --build-arg REVISION="$(git rev-parse HEAD)" --tag registry.example/assay-runner:0.1.0 --push .
#
# The image is pushed with a bill of materials and its provenance, which docker buildx imagetools inspect prints.
# The first command makes the packages of k6 in out/release, from which the image takes it: no Go compiles anything here.
# Base images are pinned to an exact version. A digest pins their content too: docker buildx imagetools inspect IMAGE prints it,
# and --build-arg BASE_IMAGE=IMAGE@sha256:… takes it.
ARG UNPACK_IMAGE=alpine:3.22.2
ARG BASE_IMAGE=busybox:1.37.0-musl
ARG VERSION=0.1.0

FROM --platform=$BUILDPLATFORM ${UNPACK_IMAGE} AS k6
ARG VERSION
ARG TARGETARCH
WORKDIR /release
COPY out/release/ ./
RUN case "$TARGETARCH" in amd64) cpu=x64 ;; *) cpu="$TARGETARCH" ;; esac \
 && file="assay-load-k6-linux-$cpu-$VERSION.tgz" \
 && grep "  $file\$" SHA256SUMS >sum && sha256sum -c sum \
 && mkdir -p /out && tar -xzf "$file" -C /out --strip-components=1

FROM ${BASE_IMAGE}
ARG VERSION
ARG REVISION=unknown
ARG SOURCE=https://www.npmjs.com/package/@assay-load/k6-source
LABEL org.opencontainers.image.title="k6 with Assay's extension" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.licenses="AGPL-3.0-only"
COPY --from=k6 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
# The licence of k6, the notices of all modules in it, and in README.md where its complete source is.
COPY --from=k6 /out/LICENSE /out/THIRD-PARTY-NOTICES /out/README.md /licenses/
COPY --from=k6 /out/bin/k6 /usr/bin/k6
# Nothing in it is written to: it runs with a read-only root file system, and a /tmp for the initializer of k6-operator.
WORKDIR /tmp
USER 12345:12345
ENTRYPOINT ["k6"]
