package io.ensemble.zoofence.link;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The servers of one instance: {@code HOST:PORT}, several separated by commas.
 *
 * @param name the name of the instance
 * @param addresses {@code HOST:PORT} each
 */
public record InstanceServers(String name, List<String> addresses) {
  private static final int USUAL_PORT = 2181;

  public InstanceServers {
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("an instance must have at least one server");
    }
  }

  /**
   * Reads {@code a:2181|b:2181,b2:2181|lyon=c:2181}: instances separated by bars, each with an
   * explicit name or its number from 1 on.
   *
   * @throws IllegalArgumentException if a part is empty, or two instances have one name
   */
  public static List<InstanceServers> read(String text) {
    var instances = new ArrayList<InstanceServers>();
    for (String part : text.split("\\|", -1)) {
      int equals = part.indexOf('=');
      String name = equals < 0 ? Integer.toString(instances.size() + 1) : part.substring(0, equals);
      instances.add(one(name.strip(), part.substring(equals + 1), text));
    }
    if (instances.stream().map(InstanceServers::name).distinct().count() < instances.size()) {
      throw new IllegalArgumentException("two instances have the same name: " + text);
    }
    return instances;
  }

  /** Reads the servers of one instance. */
  public static InstanceServers one(String name, String text, String whole) {
    var addresses = new ArrayList<String>();
    for (String server : text.split(",", -1)) {
      addresses.add(address(server.strip(), whole));
    }
    if (name.isEmpty()) {
      throw new IllegalArgumentException("an instance has an empty name: " + whole);
    }
    return new InstanceServers(name, addresses);
  }

  private static String address(String server, String whole) {
    if (server.isEmpty()) {
      throw new IllegalArgumentException("empty part: '" + whole + "'");
    }
    if (server.contains("/")) {
      throw new IllegalArgumentException(
          "a chroot must follow the whole connect string, not a part of it: " + whole);
    }
    int colon = server.lastIndexOf(':');
    if (colon < 0) {
      return server + ":" + USUAL_PORT;
    }
    try {
      int port = Integer.parseInt(server.substring(colon + 1));
      if (port < 1 || port > 65_535 || colon == 0) {
        throw new IllegalArgumentException("no server: '" + server + "' in " + whole);
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("no port: '" + server + "' in " + whole, e);
    }
    return server;
  }

  /** The address at an index, unresolved until it is used, because a host may move. */
  public InetSocketAddress address(int index) {
    String server = addresses.get(Math.floorMod(index, addresses.size()));
    int colon = server.lastIndexOf(':');
    return InetSocketAddress.createUnresolved(
        server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
  }

  /** The servers in the format of ZooKeeper's own client. */
  public String connectString() {
    return String.join(",", addresses);
  }

  /** The instance for display. */
  @Override
  public String toString() {
    return name + " (" + String.join(",", addresses) + ")";
  }
}
