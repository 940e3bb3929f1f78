package io.ensemble.site.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Tells the addresses of a name. */
@FunctionalInterface
public interface AddressResolver {

  /** The one of this machine; it may wait for other hosts. */
  AddressResolver SYSTEM = name -> List.of(InetAddress.getAllByName(name));

  /**
   * Its addresses, the best first.
   *
   * @throws UnknownHostException if it has none
   */
  List<InetAddress> addresses(String name) throws UnknownHostException;
}
