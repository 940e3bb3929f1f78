package io.ensemble.site.hotrod;

import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.net.InetSocketAddress;

/** How stores are named and created, for tests that look at them or create them otherwise. */
public final class StoreConfigurations {

  private StoreConfigurations() {}

  /** What the name of a store ends with that {@code node} alone holds. */
  public static String nodeKey(InetSocketAddress node) {
    return NodeKey.of(new Endpoint(node.getHostString(), node.getPort()));
  }

  public static String of(StoreKind kind, SiteStorage storage) {
    return StoreXml.of(kind, storage, false);
  }
}
