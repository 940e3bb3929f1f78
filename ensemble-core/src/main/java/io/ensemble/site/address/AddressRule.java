package io.ensemble.site.address;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * One rule of a policy: a host by its name, all hosts below a name, or a network; at some ports.
 *
 * @param host a name in lower case; a name that begins with a dot covers all names below it; empty
 *     for a network
 * @param network null for a name
 * @param firstPort the lowest port
 * @param lastPort the highest port
 */
record AddressRule(String host, @Nullable CidrBlock network, int firstPort, int lastPort) {

  private static final int MOST_PORTS = 65535;

  /** Parses {@code host:ports}. */
  static AddressRule parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1) {
      throw wrong(text);
    }
    String where = text.substring(0, colon);
    int[] ports = ports(text, text.substring(colon + 1));
    if (where.startsWith("*.") && AddressParser.isName(where.substring(2))) {
      return new AddressRule(AddressParser.lower(where.substring(1)), null, ports[0], ports[1]);
    }
    if (AddressParser.isName(where)) {
      return new AddressRule(AddressParser.lower(where), null, ports[0], ports[1]);
    }
    // Without brackets, a port would read as part of the address.
    if (where.indexOf(':') >= 0 && !where.startsWith("[")) {
      throw wrong(text);
    }
    return new AddressRule("", network(where), ports[0], ports[1]);
  }

  /** IPv6 is in brackets, followed by the bits. */
  private static CidrBlock network(String where) {
    int closing = where.indexOf(']');
    return where.startsWith("[") && closing > 0
        ? CidrBlock.parse(where.substring(1, closing) + where.substring(closing + 1))
        : CidrBlock.parse(where);
  }

  private static int[] ports(String rule, String text) {
    if (text.equals("*")) {
      return new int[] {1, MOST_PORTS};
    }
    if (!text.matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
      throw wrong(rule);
    }
    int dash = text.indexOf('-');
    int first = Integer.parseInt(dash < 0 ? text : text.substring(0, dash));
    int last = dash < 0 ? first : Integer.parseInt(text.substring(dash + 1));
    if (first < 1 || last > MOST_PORTS || last < first) {
      throw wrong(rule);
    }
    return new int[] {first, last};
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "rule must be name:ports, *.name:ports, 10.0.0.0/8:ports or [fd00::]/8:ports, with ports "
            + "one, first-last or *; got '"
            + text
            + "'");
  }

  boolean hasPort(int port) {
    return firstPort <= port && port <= lastPort;
  }

  /** Whether the rule allows a name that has this address, which must be one of the internet. */
  boolean names(String name, InetAddress address) {
    String theirs = AddressParser.lower(name);
    return !host.isEmpty()
        && (host.startsWith(".") ? theirs.endsWith(host) : theirs.equals(host))
        && !SpecialAddresses.isInside(address);
  }

  boolean contains(InetAddress address) {
    return network != null && network.contains(address);
  }

  /** Whether the rule allows this loopback address, which requires a rule for loopback alone. */
  boolean containsLoopback(InetAddress address) {
    return network != null && SpecialAddresses.isLoopback(network) && network.contains(address);
  }
}
