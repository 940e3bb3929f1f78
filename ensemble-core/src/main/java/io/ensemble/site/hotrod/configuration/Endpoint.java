package io.ensemble.site.hotrod.configuration;

/**
 * The address at which a node of a site answers Hot Rod.
 *
 * @param host a host name or an address; an IPv6 address without brackets
 * @param port 1 to 65535
 */
public record Endpoint(String host, int port) {

  /**
   * @throws IllegalArgumentException when the host is blank or the port is not one
   */
  public Endpoint {
    if (host.isBlank() || host.chars().anyMatch(c -> c <= ' ' || c == '[' || c == ']')) {
      throw new IllegalArgumentException("endpoint must have a host name; got '" + host + "'");
    }
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException(
          "endpoint port must be in [1, 65535]; got " + port + " for host " + host);
    }
  }

  /**
   * Parses {@code host:port}, with an IPv6 address in brackets.
   *
   * @throws IllegalArgumentException when it is something else
   */
  public static Endpoint parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon).strip();
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (colon < 0 || (!bracketed && host.indexOf(':') >= 0)) {
      throw new IllegalArgumentException(
          "endpoint must be host:port, with an IPv6 address in brackets; got '" + text + "'");
    }
    return new Endpoint(bracketed ? host.substring(1, host.length() - 1) : host, port(text, colon));
  }

  private static int port(String text, int colon) {
    try {
      return Integer.parseInt(text.substring(colon + 1).strip());
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          "endpoint port must be in [1, 65535]; got '" + text + "'", notANumber);
    }
  }

  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
