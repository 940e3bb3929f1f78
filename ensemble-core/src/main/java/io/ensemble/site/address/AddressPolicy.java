package io.ensemble.site.address;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/**
 * The addresses to which Ensemble may connect. Immutable, thread-safe.
 *
 * <p>A rule is a name or a network, with ports: {@code db.example:11222}, {@code *.example:11222},
 * {@code 10.0.0.0/8:11222-11230}, {@code [2001:db8::]/32:*}. All other addresses are refused.
 *
 * <ul>
 *   <li>A name allows addresses of the internet only. Addresses of private networks, such as
 *       10.0.0.0/8 and fc00::/7, need a rule for a network; otherwise the owner of the name would
 *       choose where inside the network it leads.
 *   <li>Loopback addresses need a rule for loopback alone, such as {@code 127.0.0.1/32:11222} or
 *       {@code 127.0.0.0/8:*}. Neither a wider network nor a name that resolves to loopback allows
 *       them.
 *   <li>Some addresses are always refused, whatever the rules: link-local and multicast addresses,
 *       those that mean any host, and those at which clouds give machines their secrets. This also
 *       holds for such addresses within addresses of IPv6.
 * </ul>
 */
public final class AddressPolicy {

  private final List<String> texts;
  private final List<AddressRule> rules;

  private AddressPolicy(List<String> texts) {
    this.texts = List.copyOf(texts);
    this.rules = this.texts.stream().map(AddressRule::parse).toList();
  }

  /**
   * A policy with these rules; without rules, every address is refused.
   *
   * @throws IllegalArgumentException naming an invalid rule
   */
  public static AddressPolicy allowing(List<String> rules) {
    return new AddressPolicy(rules);
  }

  /** A policy with these rules; without rules, every address is refused. */
  public static AddressPolicy allowing(String... rules) {
    return new AddressPolicy(List.of(rules));
  }

  /**
   * The address to which to connect, with the name that was asked for. A name is resolved here,
   * once, and all of its addresses must be allowed. Otherwise a second resolution might return an
   * address that was not checked. Waits for the resolver.
   *
   * @throws AddressRefusedException if the address is not allowed
   * @throws IllegalArgumentException if {@code host} is neither a name nor an address, in the one
   *     accepted spelling
   * @throws UnknownHostException if it is a name that has no address
   */
  public InetSocketAddress admit(String host, int port, AddressResolver resolver)
      throws UnknownHostException {
    Optional<InetAddress> written = AddressParser.address(host);
    if (written.isPresent()) {
      check(new InetSocketAddress(written.get(), port));
      return new InetSocketAddress(written.get(), port);
    }
    if (rules.stream().noneMatch(rule -> rule.hasPort(port))) {
      throw refused(host, port, "no rule allows the port"); // The name is not resolved.
    }
    List<InetAddress> addresses = resolver.addresses(host);
    if (addresses.isEmpty()) {
      throw new UnknownHostException(host);
    }
    for (InetAddress address : addresses) {
      check(new InetSocketAddress(named(host, address), port));
    }
    return new InetSocketAddress(named(host, addresses.get(0)), port);
  }

  /**
   * Checks an address immediately before a connection, whatever its source: a site itself announces
   * the addresses of its other nodes.
   *
   * @throws AddressRefusedException if the address is not allowed, or is not resolved
   */
  public void check(InetSocketAddress target) {
    InetAddress address = target.getAddress();
    int port = target.getPort();
    String shown = target.getHostString();
    if (address == null) {
      throw refused(shown, port, "the host name is not resolved");
    }
    if (SpecialAddresses.isNever(address)) {
      throw refused(shown, port, "the address cannot be that of a site");
    }
    if (SpecialAddresses.isLoopback(address)) {
      if (rules.stream().noneMatch(r -> r.hasPort(port) && r.containsLoopback(address))) {
        throw refused(shown, port, "the address is loopback, which only an explicit rule allows");
      }
    } else if (rules.stream()
        .noneMatch(r -> r.hasPort(port) && (r.contains(address) || r.names(shown, address)))) {
      throw refused(shown, port, "no rule allows the address");
    }
  }

  /** Whether {@code host} is an address, no name, and is allowed. Asks no resolver. */
  public boolean allows(String host, int port) {
    try {
      Optional<InetAddress> written = AddressParser.address(host);
      written.ifPresent(address -> check(new InetSocketAddress(address, port)));
      return written.isPresent();
    } catch (AddressRefusedException | IllegalArgumentException refused) {
      return false;
    }
  }

  /**
   * A refusal without the resolved address, because the addresses of internal names must not be
   * disclosed.
   */
  private AddressRefusedException refused(String host, int port, String why) {
    return new AddressRefusedException(
        "site address is not allowed: %s; host=%s port=%d".formatted(why, host, port));
  }

  private static InetAddress named(String host, InetAddress address) throws UnknownHostException {
    return InetAddress.getByAddress(host, address.getAddress());
  }

  /** The rules. */
  @Override
  public String toString() {
    return "AddressPolicy" + texts;
  }
}
