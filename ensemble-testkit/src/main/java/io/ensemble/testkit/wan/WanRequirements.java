package io.ensemble.testkit.wan;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The requirements of emulation, checked before any host is made. */
final class WanRequirements {

  private static final int CAP_NET_ADMIN = 12;
  private static final int CAP_SYS_ADMIN = 21;
  private static final String CAPABILITIES = "CapEff:";

  private WanRequirements() {}

  /** The first missing requirement, and the remedy; empty if none is known to be missing. */
  static Optional<String> missing() {
    return Stream.<Optional<String>>of(
            system(), tool("ip", "iproute2"), tool("perl", "perl-base"), privileges(), device())
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<String> system() {
    return Files.exists(Path.of("/proc/self/ns/net"))
        ? Optional.empty()
        : Optional.of("emulated distance requires the network namespaces of Linux");
  }

  /** The remedy for a program that is not on the PATH. */
  static Optional<String> tool(String name, String debianPackage) {
    boolean there =
        Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
    return there
        ? Optional.empty()
        : Optional.of(
            "emulated distance requires the program '%s': apt-get install %s"
                .formatted(name, debianPackage));
  }

  private static Optional<String> privileges() {
    return privileges(
        Path.of("/proc/self/status"),
        "to make network namespaces and devices: run it as root (sudo), or in a container with"
            + " --privileged");
  }

  private static Optional<String> privileges(Path status, String what) {
    try (Stream<String> lines = Files.lines(status)) {
      long held =
          lines
              .filter(line -> line.startsWith(CAPABILITIES))
              .map(line -> line.substring(CAPABILITIES.length()).strip())
              .mapToLong(digits -> Long.parseUnsignedLong(digits, 16))
              .findFirst()
              .orElse(0);
      List<String> wanted =
          Stream.of(
                  (held >>> CAP_NET_ADMIN & 1) == 1 ? "" : "CAP_NET_ADMIN",
                  (held >>> CAP_SYS_ADMIN & 1) == 1 ? "" : "CAP_SYS_ADMIN")
              .filter(name -> !name.isEmpty())
              .toList();
      return wanted.isEmpty()
          ? Optional.empty()
          : Optional.of(
              "emulated distance requires %s %s".formatted(String.join(" and ", wanted), what));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> device() {
    return Files.exists(Path.of("/dev/net/tun"))
        ? Optional.empty()
        : Optional.of(
            "emulated distance requires /dev/net/tun: modprobe tun, or in a container mkdir -p "
                + "/dev/net && mknod /dev/net/tun c 10 200");
  }
}
