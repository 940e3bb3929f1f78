package io.ensemble.testkit.wan;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Addresses of hosts, and the file that names them. Namespaces see neither each other's networks
 * nor the machine's, so all emulations have the same addresses.
 */
final class HostAddresses {

  static final byte[] NETWORK = {10, 77, 0};

  private HostAddresses() {}

  /** The address of a host. */
  static String of(int host) {
    return "%d.%d.%d.%d".formatted(NETWORK[0], NETWORK[1], NETWORK[2], host + 1);
  }

  /** The content of {@code /etc/hosts} on a host, where the machine's own name means that host. */
  static String file(List<String> hosts, int here) {
    String machine = machine();
    return "127.0.0.1 localhost\n::1 localhost\n"
        + IntStream.range(0, hosts.size())
            .mapToObj(
                host ->
                    of(host)
                        + " "
                        + hosts.get(host)
                        + (host == here && !machine.isEmpty() ? " " + machine : "")
                        + "\n")
            .collect(Collectors.joining());
  }

  private static String machine() {
    try {
      String name = InetAddress.getLocalHost().getHostName();
      return name.equals("localhost") ? "" : name;
    } catch (UnknownHostException e) {
      return "";
    }
  }
}
