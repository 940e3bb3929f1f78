package io.ensemble.zoofence.curator;

import io.ensemble.zoofence.client.ZooFence;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** The README's example, compiled and used unchanged. */
final class CuratorExample {

  private CuratorExample() {}

  /** A client that uses proxies, and a client that uses none; neither is started. */
  static List<CuratorFramework> made(String proxies, String ensembles) {
    // readme:begin
    CuratorFramework byProxies =
        CuratorFrameworkFactory.builder()
            .connectString(proxies)
            .ensembleTracker(false) // else it would go to one ensemble's own servers
            .retryPolicy(new ExponentialBackoffRetry(100, 5))
            .build();
    CuratorFramework withoutOne =
        CuratorFrameworkFactory.builder()
            .connectString(ensembles)
            .zookeeperFactory(ZooFence::new)
            .ensembleTracker(false)
            .retryPolicy(new ExponentialBackoffRetry(100, 5))
            .build();
    // readme:end
    return List.of(byProxies, withoutOne);
  }
}
