package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.wire.Request;
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

final class RoutesTest {
  private static final Flattening FLATTENING =
      FlatteningText.read("/a 1 2\n/a/one 2\n/b 3\n", List.of("x", "y", "z"));

  private static Route of(Request request) {
    return Routes.of(request, FLATTENING, Reads.CANONICAL);
  }

  private static Route delete(String path) {
    return of(Request.of(OpCode.delete, new DeleteRequest(path, -1)));
  }

  private static Route set(int type, String path) {
    return of(Request.of(type, new SetDataRequest(path, new byte[0], -1)));
  }

  private static Route get(String path) {
    return of(Request.of(OpCode.getData, new GetDataRequest(path, true)));
  }

  private static Route multi(int type, Op... operations) {
    return of(Request.of(type, new MultiOperationRecord(List.of(operations))));
  }

  private static Op set(String path) {
    return Op.setData(path, new byte[0], -1);
  }

  @Test
  void aReadGoesToTheCanonicalHolder() {
    assertThat(get("/")).isEqualTo(new Route.Read(0));
    assertThat(get("/a/x")).isEqualTo(new Route.Read(0));
    assertThat(get("/a/one/x")).isEqualTo(new Route.Read(1));
    assertThat(get("/b")).isEqualTo(new Route.Read(2));
  }

  @Test
  void aRelaxedReadGoesToTheNearestHolder() {
    var near = new Reads(List.of(2, 1));
    Request root = Request.of(OpCode.getData, new GetDataRequest("/", true));
    Request shared = Request.of(OpCode.getData, new GetDataRequest("/a", true));
    Request other = Request.of(OpCode.getData, new GetDataRequest("/b/x", true));
    Request sync = Request.of(OpCode.sync, new SyncRequest("/a"));
    Request alone = Request.of(OpCode.sync, new SyncRequest("/b/x"));

    assertThat(Routes.of(root, FLATTENING, near)).isEqualTo(new Route.Read(2));
    assertThat(Routes.of(shared, FLATTENING, near)).isEqualTo(new Route.Read(1));
    assertThat(Routes.of(shared, FLATTENING, new Reads(List.of(2)))).isEqualTo(new Route.Read(0));
    assertThat(Routes.of(other, FLATTENING, near)).isEqualTo(new Route.Read(2));
    assertThat(Routes.of(sync, FLATTENING, near)).isEqualTo(new Route.Sync(InstanceSet.of(0, 1)));
    assertThat(Routes.of(alone, FLATTENING, near)).isEqualTo(new Route.Read(2));
    assertThat(of(sync)).isEqualTo(new Route.Read(0));
  }

  @Test
  void dataBelongsToTheHoldersOfThePathAndExistenceToThoseOfItsParent() {
    assertThat(set(OpCode.setData, "/b")).isEqualTo(new Route.Write(2));
    assertThat(set(OpCode.setACL, "/b")).isEqualTo(new Route.Unguarded(2));
    assertThat(set(OpCode.setData, "/a")).isEqualTo(new Route.Command(InstanceSet.of(0, 1)));
    assertThat(delete("/b")).isEqualTo(new Route.Command(InstanceSet.first(3)));
    assertThat(delete("/a/one")).isEqualTo(new Route.Command(InstanceSet.of(0, 1)));
    assertThat(delete("/a/one/x")).isEqualTo(new Route.Write(1));
  }

  @Test
  void aTransactionGoesWhereItsOperationsMeet() {
    assertThat(multi(OpCode.multi, set("/b"), Op.check("/b/x", 1))).isEqualTo(new Route.Write(2));
    assertThat(multi(OpCode.multi, set("/a/one"), set("/a/two")))
        .isEqualTo(new Route.Command(InstanceSet.of(0, 1)));
    assertThat(multi(OpCode.multi, set("/a/one"), set("/b")))
        .isEqualTo(new Route.Command(InstanceSet.first(3)));
    assertThat(multi(OpCode.multi)).isInstanceOf(Route.Write.class);
    assertThat(multi(OpCode.multiRead, Op.getData("/a/one/x"), Op.getChildren("/a/one/x")))
        .isEqualTo(new Route.Read(1));
    assertThat(multi(OpCode.multiRead, Op.getData("/a/one"), Op.getData("/a/one/x")))
        .as("whether /a/one is ephemeral is in a record of ours")
        .isEqualTo(new Route.Gather());
    assertThat(multi(OpCode.multiRead, Op.getData("/a"), Op.getData("/b")))
        .isEqualTo(new Route.Gather());
    assertThat(multi(OpCode.multiRead)).isInstanceOf(Route.class);
  }

  @Test
  void nobodyReachesOurOwnZnodes() {
    var refused = new Route.Refused(Code.NOAUTH);

    assertThat(get(Names.GUARD)).isEqualTo(refused);
    assertThat(delete(Names.QUEUES)).isEqualTo(refused);
    assertThat(multi(OpCode.multi, set("/b"), set(Names.GUARD))).isEqualTo(refused);
    assertThat(of(Request.of(OpCode.addWatch, new AddWatchRequest(Names.ROOT, 0))))
        .isEqualTo(refused);
  }

  @Test
  void nobodyReadsOurOwnZnodesInATransaction() {
    assertThat(multi(OpCode.multiRead, Op.getData(Names.GUARD)))
        .isEqualTo(new Route.Refused(Code.NOAUTH));
  }

  @Test
  void whatIsNotKnownIsRefused() {
    assertThat(of(Request.bare(OpCode.reconfig))).isEqualTo(new Route.Refused(Code.UNIMPLEMENTED));
    assertThat(of(Request.bare(OpCode.closeSession))).isEqualTo(new Route.Gather());
  }

  @Test
  void whatZooKeeperDoesNotKnowEither() {
    assertThat(of(Request.bare(888))).isEqualTo(new Route.Unknown());
  }

  private static Route create(String path, CreateMode mode) {
    var create = new CreateRequest(path, new byte[0], List.of(), mode.toFlag());
    return of(Request.of(OpCode.create, create));
  }

  @Test
  void aSequentialNameNeedNotBeOneBeforeItsNumber() {
    for (String path : List.of("/b/", "/b/.", "/b/..")) {
      assertThat(create(path, CreateMode.EPHEMERAL_SEQUENTIAL)).isEqualTo(new Route.Write(2));
      assertThat(multi(OpCode.multi, sequential(path))).isEqualTo(new Route.Write(2));
      assertThat(create(path, CreateMode.PERSISTENT))
          .isEqualTo(new Route.Refused(Code.BADARGUMENTS));
    }
    assertThat(create("/b/./", CreateMode.PERSISTENT_SEQUENTIAL))
        .isEqualTo(new Route.Refused(Code.BADARGUMENTS));
    assertThat(of(Request.of(OpCode.create, new CreateRequest("/b/x", null, List.of(), 77))))
        .as("no mode of a znode")
        .isEqualTo(new Route.Refused(Code.BADARGUMENTS));
  }

  private static Op sequential(String path) {
    return Op.create(path, new byte[0], List.of(), CreateMode.PERSISTENT_SEQUENTIAL);
  }

  @Test
  void whatIsNoRecordOrNoPathOrTooLargeIsRefused() {
    Request whole = Request.of(OpCode.setData, new SetDataRequest("/a", new byte[3], -1));
    ByteBuffer more =
        ByteBuffer.allocate(whole.body().remaining() + 1).put(whole.body().duplicate());
    var large = new SetDataRequest("/a", new byte[0xfffff - 100], -1);
    var withoutRoomForItsGuard = new SetDataRequest("/b", new byte[0xfffff - 50], -1);
    var direct = new SetDataRequest("/b", new byte[0xfffff - 100], -1);

    assertThat(of(new Request(1, OpCode.setData, more.rewind())))
        .isEqualTo(new Route.Refused(Code.MARSHALLINGERROR));
    assertThat(set(OpCode.setData, "/a//b")).isEqualTo(new Route.Refused(Code.BADARGUMENTS));
    assertThat(set(OpCode.setData, "")).isEqualTo(new Route.Refused(Code.BADARGUMENTS));
    assertThat(Writes.fitsQueue(Request.of(OpCode.setData, large), List.of())).isFalse();
    assertThat(Writes.fitsQueue(whole, List.of())).isTrue();
    assertThat(of(Request.of(OpCode.setData, direct))).isEqualTo(new Route.Write(2));
    assertThat(of(Request.of(OpCode.setData, withoutRoomForItsGuard)))
        .isEqualTo(new Route.Refused(Code.MARSHALLINGERROR));
  }
}
