package io.ensemble.catalog.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/** Ends a session at its server. Its owner sees an expired session, as after a long pause. */
public final class SessionExpiry {

  private static final int PATIENCE_SECONDS = 90;

  private SessionExpiry() {}

  /**
   * Ends the current session of {@code owner}.
   *
   * @return the session's id
   */
  public static long of(CuratorFramework owner, String connectString) throws Exception {
    ZooKeeper own = owner.getZookeeperClient().getZooKeeper();
    CountDownLatch connected = new CountDownLatch(1);
    Watcher watcher =
        event -> {
          if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
            connected.countDown();
          }
        };
    ZooKeeper twin =
        new ZooKeeper(
            connectString, 15_000, watcher, own.getSessionId(), own.getSessionPasswd().clone());
    assertThat(connected.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    twin.close();
    return own.getSessionId();
  }
}
