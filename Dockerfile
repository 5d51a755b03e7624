# The static program, alone in an image: no shell, no library, and no GPU.
#
#   docker build -t labelaudit .
#   docker run --rm --user "$(id -u):$(id -g)" --network none -v "$PWD:/data" labelaudit --classes 21 --ignore 255 masks/
ARG BASE=debian:bookworm-slim
FROM $BASE AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# scripts/deps installs the compiler and the libraries; dpkg-dev fetches the source of cJSON, of which Debian has no static library.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates dpkg-dev make
COPY . /source
WORKDIR /source
RUN DEPS=yes make -j"$(nproc)" CUDA=0 static \
	&& mkdir -p /image/data /image/usr/bin /image/usr/share/doc/labelaudit \
	&& cp -R build/dist/licences LICENSE /image/usr/share/doc/labelaudit/ \
	&& cp build/dist/labelaudit-static /image/usr/bin/labelaudit

FROM scratch
COPY --from=build /image /
WORKDIR /data
ENTRYPOINT ["/usr/bin/labelaudit"]
