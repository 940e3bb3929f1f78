package io.ensemble.zoofence.session.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.RemoveWatchesRequest;
import org.apache.zookeeper.proto.SetWatches2;
import org.apache.zookeeper.proto.WatcherEvent;
import org.junit.jupiter.api.Test;

final class WatchesTest {
  private final Watches watches = new Watches();

  private void asked(int type, String path, boolean watch, ZooKeeperReply reply) {
    watches.recordReply(ZooKeeperRequest.of(type, new GetDataRequest(path, watch)), reply);
  }

  private void fired(EventType type, String path) {
    watches.removeFired(
        new WatcherEvent(type.getIntValue(), KeeperState.SyncConnected.getIntValue(), path));
  }

  private SetWatches2 again() {
    List<ZooKeeperRequest> requests = watches.toRequests(5);
    assertThat(requests).hasSize(1);
    return Jute.read(requests.get(0).body(), new SetWatches2());
  }

  @Test
  void whatIsWatchedIsAskedForAgain() {
    asked(OpCode.getData, "/data", true, ZooKeeperReply.done());
    asked(OpCode.exists, "/there", true, ZooKeeperReply.done());
    asked(OpCode.exists, "/absent", true, ZooKeeperReply.failed(Code.NONODE));
    asked(OpCode.getChildren2, "/children", true, ZooKeeperReply.done());
    watches.recordReply(added("/kept", AddWatchMode.PERSISTENT), ZooKeeperReply.done());
    watches.recordReply(added("/below", AddWatchMode.PERSISTENT_RECURSIVE), ZooKeeperReply.done());

    SetWatches2 again = again();

    assertThat(again.getRelativeZxid()).isEqualTo(5);
    assertThat(again.getDataWatches()).containsExactlyInAnyOrder("/data", "/there");
    assertThat(again.getExistWatches()).containsExactly("/absent");
    assertThat(again.getChildWatches()).containsExactly("/children");
    assertThat(again.getPersistentWatches()).containsExactly("/kept");
    assertThat(again.getPersistentRecursiveWatches()).containsExactly("/below");
  }

  @Test
  void whatFailedOrAskedForNoWatchIsNone() {
    asked(OpCode.getData, "/a", false, ZooKeeperReply.done());
    asked(OpCode.getData, "/a", true, ZooKeeperReply.failed(Code.NONODE));
    asked(OpCode.getChildren, "/a", true, ZooKeeperReply.failed(Code.NOAUTH));
    watches.recordReply(added("/a", AddWatchMode.PERSISTENT), ZooKeeperReply.failed(Code.NOAUTH));

    assertThat(watches.isEmpty()).isTrue();
    assertThat(watches.toRequests(5)).isEmpty();
  }

  @Test
  void aWatchThatFiredIsGoneUnlessItIsPersistent() {
    asked(OpCode.getData, "/a", true, ZooKeeperReply.done());
    asked(OpCode.getChildren, "/a", true, ZooKeeperReply.done());
    watches.recordReply(added("/a", AddWatchMode.PERSISTENT), ZooKeeperReply.done());

    fired(EventType.NodeDataChanged, "/a");
    assertThat(again().getDataWatches()).isEmpty();
    assertThat(again().getChildWatches()).containsExactly("/a");

    fired(EventType.NodeDeleted, "/a");
    assertThat(again().getChildWatches()).isEmpty();
    assertThat(again().getPersistentWatches()).containsExactly("/a");
  }

  @Test
  void aRemovedWatchIsGone() {
    for (WatcherType type : List.of(WatcherType.Any, WatcherType.Data)) {
      asked(OpCode.exists, "/a", true, ZooKeeperReply.failed(Code.NONODE));
      watches.recordReply(
          ZooKeeperRequest.of(
              OpCode.removeWatches, new RemoveWatchesRequest("/a", type.getIntValue())),
          ZooKeeperReply.done());
      assertThat(watches.isEmpty()).isTrue();
    }
  }

  @Test
  void manyWatchesAreCutIntoRequestsThatFitAFrame() {
    List<String> paths =
        IntStream.range(0, 5_000).mapToObj(i -> "/" + "p".repeat(100) + i).toList();
    watches.set(new SetWatches2(1, paths, List.of(), List.of(), List.of(), List.of("/r")));

    var found = new ArrayList<String>();
    for (ZooKeeperRequest request : watches.toRequests(1)) {
      assertThat(request.body().remaining()).isLessThan(256 << 10);
      found.addAll(Jute.read(request.body(), new SetWatches2()).getDataWatches());
    }

    assertThat(found).containsExactlyInAnyOrderElementsOf(paths);
  }

  private static ZooKeeperRequest added(String path, AddWatchMode mode) {
    return ZooKeeperRequest.of(OpCode.addWatch, new AddWatchRequest(path, mode.getMode()));
  }
}
