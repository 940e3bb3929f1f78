package io.ensemble.site.hotrod;

import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.net.InetSocketAddress;

/** Names and configurations of stores, for tests that inspect stores or create them differently. */
public final class StoreConfigurations {

  private StoreConfigurations() {}

  /** The suffix of the name of a store that only {@code node} holds. */
  public static String nodeKey(InetSocketAddress node) {
    return NodeKey.of(new Endpoint(node.getHostString(), node.getPort()));
  }

  public static String of(StoreKind kind, SiteStorage storage) {
    return StoreXml.of(kind, storage, false);
  }
}
