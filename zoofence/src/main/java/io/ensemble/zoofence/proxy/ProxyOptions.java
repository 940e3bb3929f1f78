package io.ensemble.zoofence.proxy;

import java.net.InetSocketAddress;
import org.apache.zookeeper.common.ZKConfig;
import org.jspecify.annotations.Nullable;

/**
 * How a proxy serves its clients.
 *
 * @param address where clients connect; port 0 takes a free one. Null if all clients use TLS
 * @param secureAddress where clients connect with TLS, as to ZooKeeper's {@code secureClientPort};
 *     null if no client does
 * @param tls the settings of TLS, by ZooKeeper's names, such as {@code
 *     zookeeper.ssl.keyStore.location}
 * @param maxClientConnections the maximum number of connections from one address, as ZooKeeper's
 *     {@code maxClientCnxns}; further ones are closed. 0 for no limit
 * @param words the four-letter words that the proxy answers
 */
public record ProxyOptions(
    @Nullable InetSocketAddress address,
    @Nullable InetSocketAddress secureAddress,
    ZKConfig tls,
    int maxClientConnections,
    FourLetterWhitelist words) {
  /** The default of {@link #maxClientConnections}, which is ZooKeeper's. */
  public static final int MAX_CLIENT_CONNECTIONS = 60;

  public ProxyOptions {
    if (address == null && secureAddress == null) {
      throw new IllegalArgumentException("a proxy requires an address, a secure address or both");
    }
    if (maxClientConnections < 0) {
      throw new IllegalArgumentException(
          "maxClientConnections must be 0 (no limit) or more; got " + maxClientConnections);
    }
  }

  /**
   * Serves clients without TLS at an address. The limit of connections is {@link
   * #MAX_CLIENT_CONNECTIONS}; the words are those of ZooKeeper's property {@code
   * zookeeper.4lw.commands.whitelist}, or all if it is not set.
   */
  public static ProxyOptions at(InetSocketAddress address) {
    return new ProxyOptions(
        address,
        null,
        new ZKConfig(),
        MAX_CLIENT_CONNECTIONS,
        FourLetterWhitelist.fromProperties());
  }

  /** The same, with an address for TLS. */
  public ProxyOptions secure(InetSocketAddress otherAddress, ZKConfig settings) {
    return new ProxyOptions(address, otherAddress, settings, maxClientConnections, words);
  }

  /** The same, without the address for clients that do not use TLS. */
  public ProxyOptions secureOnly() {
    return new ProxyOptions(null, secureAddress, tls, maxClientConnections, words);
  }

  /** The same, with another limit of connections from one address. */
  public ProxyOptions maxClientConnections(int limit) {
    return new ProxyOptions(address, secureAddress, tls, limit, words);
  }

  /** The same, with other four-letter words. */
  public ProxyOptions words(FourLetterWhitelist others) {
    return new ProxyOptions(address, secureAddress, tls, maxClientConnections, others);
  }
}
