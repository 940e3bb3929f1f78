package io.ensemble.site.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Resolves names to addresses. */
@FunctionalInterface
public interface AddressResolver {

  /** The resolver of this machine; it may wait for other hosts. */
  AddressResolver SYSTEM = name -> List.of(InetAddress.getAllByName(name));

  /**
   * The addresses of {@code name}, the best first.
   *
   * @throws UnknownHostException if it has none
   */
  List<InetAddress> addresses(String name) throws UnknownHostException;
}
