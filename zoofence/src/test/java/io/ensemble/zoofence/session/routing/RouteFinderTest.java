package io.ensemble.zoofence.session.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SyncRequest;
import org.junit.jupiter.api.Test;

final class RouteFinderTest {
  private static final Flattening FLATTENING =
      FlatteningText.read("/a 1 2\n/a/one 2\n/b 3\n", List.of("x", "y", "z"));

  private static ZnodeRoute of(ZooKeeperRequest request) {
    return RouteFinder.of(request, FLATTENING, ReadPreference.CANONICAL);
  }

  private static ZnodeRoute delete(String path) {
    return of(ZooKeeperRequest.of(OpCode.delete, new DeleteRequest(path, -1)));
  }

  private static ZnodeRoute set(int type, String path) {
    return of(ZooKeeperRequest.of(type, new SetDataRequest(path, new byte[0], -1)));
  }

  private static ZnodeRoute get(String path) {
    return of(ZooKeeperRequest.of(OpCode.getData, new GetDataRequest(path, true)));
  }

  private static ZnodeRoute multi(int type, Op... operations) {
    return of(ZooKeeperRequest.of(type, new MultiOperationRecord(List.of(operations))));
  }

  private static Op set(String path) {
    return Op.setData(path, new byte[0], -1);
  }

  @Test
  void aReadGoesToTheCanonicalHolder() {
    assertThat(get("/")).isEqualTo(new ZnodeRoute.Read(0));
    assertThat(get("/a/x")).isEqualTo(new ZnodeRoute.Read(0));
    assertThat(get("/a/one/x")).isEqualTo(new ZnodeRoute.Read(1));
    assertThat(get("/b")).isEqualTo(new ZnodeRoute.Read(2));
  }

  @Test
  void aRelaxedReadGoesToTheNearestHolder() {
    var near = new ReadPreference(List.of(2, 1));
    ZooKeeperRequest root = ZooKeeperRequest.of(OpCode.getData, new GetDataRequest("/", true));
    ZooKeeperRequest shared = ZooKeeperRequest.of(OpCode.getData, new GetDataRequest("/a", true));
    ZooKeeperRequest other = ZooKeeperRequest.of(OpCode.getData, new GetDataRequest("/b/x", true));
    ZooKeeperRequest sync = ZooKeeperRequest.of(OpCode.sync, new SyncRequest("/a"));
    ZooKeeperRequest alone = ZooKeeperRequest.of(OpCode.sync, new SyncRequest("/b/x"));

    assertThat(RouteFinder.of(root, FLATTENING, near)).isEqualTo(new ZnodeRoute.Read(2));
    assertThat(RouteFinder.of(shared, FLATTENING, near)).isEqualTo(new ZnodeRoute.Read(1));
    assertThat(RouteFinder.of(shared, FLATTENING, new ReadPreference(List.of(2))))
        .isEqualTo(new ZnodeRoute.Read(0));
    assertThat(RouteFinder.of(other, FLATTENING, near)).isEqualTo(new ZnodeRoute.Read(2));
    assertThat(RouteFinder.of(sync, FLATTENING, near))
        .isEqualTo(new ZnodeRoute.Sync(InstanceSet.of(0, 1)));
    assertThat(RouteFinder.of(alone, FLATTENING, near)).isEqualTo(new ZnodeRoute.Read(2));
    assertThat(of(sync)).isEqualTo(new ZnodeRoute.Read(0));
  }

  @Test
  void dataBelongsToTheHoldersOfThePathAndExistenceToThoseOfItsParent() {
    assertThat(set(OpCode.setData, "/b")).isEqualTo(new ZnodeRoute.Write(2));
    assertThat(set(OpCode.setACL, "/b")).isEqualTo(new ZnodeRoute.Unguarded(2));
    assertThat(set(OpCode.setData, "/a")).isEqualTo(new ZnodeRoute.Command(InstanceSet.of(0, 1)));
    assertThat(delete("/b")).isEqualTo(new ZnodeRoute.Command(InstanceSet.first(3)));
    assertThat(delete("/a/one")).isEqualTo(new ZnodeRoute.Command(InstanceSet.of(0, 1)));
    assertThat(delete("/a/one/x")).isEqualTo(new ZnodeRoute.Write(1));
  }

  @Test
  void aTransactionGoesWhereItsOperationsMeet() {
    assertThat(multi(OpCode.multi, set("/b"), Op.check("/b/x", 1)))
        .isEqualTo(new ZnodeRoute.Write(2));
    assertThat(multi(OpCode.multi, set("/a/one"), set("/a/two")))
        .isEqualTo(new ZnodeRoute.Command(InstanceSet.of(0, 1)));
    assertThat(multi(OpCode.multi, set("/a/one"), set("/b")))
        .isEqualTo(new ZnodeRoute.Command(InstanceSet.first(3)));
    assertThat(multi(OpCode.multi)).isInstanceOf(ZnodeRoute.Write.class);
    assertThat(multi(OpCode.multiRead, Op.getData("/a/one/x"), Op.getChildren("/a/one/x")))
        .isEqualTo(new ZnodeRoute.Read(1));
    assertThat(multi(OpCode.multiRead, Op.getData("/a/one"), Op.getData("/a/one/x")))
        .as("whether /a/one is ephemeral is in a record of ours")
        .isEqualTo(new ZnodeRoute.Gather());
    assertThat(multi(OpCode.multiRead, Op.getData("/a"), Op.getData("/b")))
        .isEqualTo(new ZnodeRoute.Gather());
    assertThat(multi(OpCode.multiRead)).isInstanceOf(ZnodeRoute.class);
  }

  @Test
  void nobodyReachesOurOwnZnodes() {
    var refused = new ZnodeRoute.Refused(Code.NOAUTH);

    assertThat(get(ZooFencePaths.GUARD)).isEqualTo(refused);
    assertThat(delete(ZooFencePaths.QUEUES)).isEqualTo(refused);
    assertThat(multi(OpCode.multi, set("/b"), set(ZooFencePaths.GUARD))).isEqualTo(refused);
    assertThat(of(ZooKeeperRequest.of(OpCode.addWatch, new AddWatchRequest(ZooFencePaths.ROOT, 0))))
        .isEqualTo(refused);
  }

  @Test
  void nobodyReadsOurOwnZnodesInATransaction() {
    assertThat(multi(OpCode.multiRead, Op.getData(ZooFencePaths.GUARD)))
        .isEqualTo(new ZnodeRoute.Refused(Code.NOAUTH));
  }

  @Test
  void whatIsNotKnownIsRefused() {
    assertThat(of(ZooKeeperRequest.bare(OpCode.sasl)))
        .isEqualTo(new ZnodeRoute.Refused(Code.UNIMPLEMENTED));
    assertThat(of(ZooKeeperRequest.bare(OpCode.reconfig)))
        .isEqualTo(new ZnodeRoute.Refused(Code.RECONFIGDISABLED));
    assertThat(of(ZooKeeperRequest.bare(OpCode.closeSession))).isEqualTo(new ZnodeRoute.Gather());
  }

  @Test
  void whatZooKeeperDoesNotKnowEither() {
    assertThat(of(ZooKeeperRequest.bare(888))).isEqualTo(new ZnodeRoute.Unknown());
  }

  private static ZnodeRoute create(String path, CreateMode mode) {
    var create = new CreateRequest(path, new byte[0], List.of(), mode.toFlag());
    return of(ZooKeeperRequest.of(OpCode.create, create));
  }

  @Test
  void aSequentialNameNeedNotBeOneBeforeItsNumber() {
    for (String path : List.of("/b/", "/b/.", "/b/..")) {
      assertThat(create(path, CreateMode.EPHEMERAL_SEQUENTIAL)).isEqualTo(new ZnodeRoute.Write(2));
      assertThat(multi(OpCode.multi, sequential(path))).isEqualTo(new ZnodeRoute.Write(2));
      assertThat(create(path, CreateMode.PERSISTENT))
          .isEqualTo(new ZnodeRoute.Refused(Code.BADARGUMENTS));
    }
    assertThat(create("/b/./", CreateMode.PERSISTENT_SEQUENTIAL))
        .isEqualTo(new ZnodeRoute.Refused(Code.BADARGUMENTS));
    assertThat(
            of(ZooKeeperRequest.of(OpCode.create, new CreateRequest("/b/x", null, List.of(), 77))))
        .as("invalid znode mode")
        .isEqualTo(new ZnodeRoute.Refused(Code.BADARGUMENTS));
  }

  private static Op sequential(String path) {
    return Op.create(path, new byte[0], List.of(), CreateMode.PERSISTENT_SEQUENTIAL);
  }

  @Test
  void whatIsNoRecordOrNoPathOrTooLargeIsRefused() {
    ZooKeeperRequest whole =
        ZooKeeperRequest.of(OpCode.setData, new SetDataRequest("/a", new byte[3], -1));
    ByteBuffer more =
        ByteBuffer.allocate(whole.body().remaining() + 1).put(whole.body().duplicate());
    var large = new SetDataRequest("/a", new byte[0xfffff - 100], -1);
    var withoutRoomForItsGuard = new SetDataRequest("/b", new byte[0xfffff - 50], -1);
    var direct = new SetDataRequest("/b", new byte[0xfffff - 100], -1);

    assertThat(of(new ZooKeeperRequest(1, OpCode.setData, more.rewind())))
        .isEqualTo(new ZnodeRoute.Refused(Code.MARSHALLINGERROR));
    assertThat(set(OpCode.setData, "/a//b")).isEqualTo(new ZnodeRoute.Refused(Code.BADARGUMENTS));
    assertThat(set(OpCode.setData, "")).isEqualTo(new ZnodeRoute.Refused(Code.BADARGUMENTS));
    assertThat(WriteValidator.fitsQueue(ZooKeeperRequest.of(OpCode.setData, large), List.of()))
        .isFalse();
    assertThat(WriteValidator.fitsQueue(whole, List.of())).isTrue();
    assertThat(of(ZooKeeperRequest.of(OpCode.setData, direct))).isEqualTo(new ZnodeRoute.Write(2));
    assertThat(of(ZooKeeperRequest.of(OpCode.setData, withoutRoomForItsGuard)))
        .isEqualTo(new ZnodeRoute.Refused(Code.MARSHALLINGERROR));
  }
}
