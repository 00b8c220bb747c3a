# k6 with Assay's extension, and what k6-operator and `assay k8s` call beside it: the image of runners in a cluster.
#
#   docker buildx build --platform linux/amd64,linux/arm64 --tag registry.example/assay-runner:0.1.0 --push .
#
# Base images are pinned to an exact version. A digest pins their content too: docker buildx imagetools inspect IMAGE prints it,
# and --build-arg GO_IMAGE=IMAGE@sha256:… takes it. Go modules are pinned by go.sum.
ARG GO_IMAGE=golang:1.26.8-alpine
ARG BASE_IMAGE=busybox:1.37.0-musl

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
ARG TARGETOS
ARG TARGETARCH
ENV CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false" GOTOOLCHAIN=local
WORKDIR /src
COPY scenarios/extension/ ./
COPY scripts/supply-chain/copy-licences.sh /usr/local/bin/
RUN mkdir -p /out && export GOOS="$TARGETOS" GOARCH="$TARGETARCH" && go build -ldflags="-s -w -buildid=" -o /out/k6 . && sh /usr/local/bin/copy-licences.sh /out/licenses

FROM ${BASE_IMAGE}
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
# Licences, notices, and SOURCE, which says where the source of k6 is.
COPY --from=build /out/licenses /licenses
COPY --from=build /out/k6 /usr/bin/k6
# Nothing in it is written to: it runs with a read-only root file system, and a /tmp for the initializer of k6-operator.
WORKDIR /tmp
USER 12345:12345
ENTRYPOINT ["k6"]
