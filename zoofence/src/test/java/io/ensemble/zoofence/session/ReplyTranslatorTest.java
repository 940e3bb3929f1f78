package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.session.instance.MemberSessionRecord;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.StatTranslator;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.ensemble.zoofence.wire.Zxids;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.GetChildren2Response;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetChildrenResponse;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.junit.jupiter.api.Test;

final class ReplyTranslatorTest {
  private static final List<String> SYSTEM =
      List.of("config", "zoofence", "zoofence-admin", "quota");

  private static ZooKeeperRequest children(int type, String path) {
    return ZooKeeperRequest.of(type, new GetChildrenRequest(path, false));
  }

  private static Stat stat(long owner) {
    return new Stat(1, 2, 3, 4, 5, 6, 7, owner, 9, 4, 11);
  }

  private static ZooKeeperReply translated(ZooKeeperRequest request, ZooKeeperReply reply) {
    return ReplyTranslator.translateReply(request, reply, 3, owner -> owner * 10);
  }

  @Test
  void ourOwnZnodesAreInNoList() {
    ZooKeeperReply plain =
        translated(
            children(OpCode.getChildren, "/zookeeper"),
            ZooKeeperReply.done(new GetChildrenResponse(SYSTEM)));
    ZooKeeperReply withStat =
        translated(
            children(OpCode.getChildren2, "/zookeeper"),
            ZooKeeperReply.done(new GetChildren2Response(SYSTEM, stat(0))));

    assertThat(Jute.read(plain.body(), new GetChildrenResponse()).getChildren())
        .containsExactly("config", "quota");
    var read = Jute.read(withStat.body(), new GetChildren2Response());
    assertThat(read.getChildren()).containsExactly("config", "quota");
    assertThat(read.getStat().getNumChildren()).isEqualTo(2);
    assertThat(read.getStat().getCzxid()).isEqualTo(Zxids.seen(1, 3));
  }

  @Test
  void theSameNamesElsewhereStay() {
    ZooKeeperReply reply = ZooKeeperReply.done(new GetChildrenResponse(SYSTEM));

    assertThat(translated(children(OpCode.getChildren, "/mine"), reply)).isSameAs(reply);
  }

  @Test
  void theStatsOfATransactionAreTranslated() {
    var response = new MultiResponse();
    response.add(new OpResult.CreateResult("/a", stat(8)));
    response.add(new OpResult.DeleteResult());

    ZooKeeperReply reply =
        translated(ZooKeeperRequest.bare(OpCode.multi), ZooKeeperReply.done(response));

    var created =
        (OpResult.CreateResult) Jute.read(reply.body(), new MultiResponse()).getResultList().get(0);
    assertThat(created.getStat().getPzxid()).isEqualTo(Zxids.seen(11, 3));
    assertThat(created.getStat().getEphemeralOwner()).isEqualTo(80);
  }

  @Test
  void aFailedReplyStaysAsItIs() {
    ZooKeeperReply failed = ZooKeeperReply.failed(Code.NONODE);

    assertThat(translated(children(OpCode.getChildren2, "/zookeeper"), failed)).isSameAs(failed);
  }

  @Test
  void containersAndTimesToLiveAreNoSessions() {
    assertThat(List.of(0L, Long.MIN_VALUE, 0xff00_0000_0000_0001L))
        .noneMatch(StatTranslator::isSession);
    assertThat(List.of(1L, 0x7f00_0000_0000_0001L, 0x8100_0000_0000_0000L))
        .allMatch(StatTranslator::isSession);
  }

  @Test
  void membershipsAreReadLineByLine() {
    byte[] data = "2 ffffffffffffffff 00ff 1c\n0 1  0\n".getBytes(StandardCharsets.UTF_8);

    List<MemberSessionRecord> read = MemberSessionRecord.read(data);

    assertThat(read).extracting(MemberSessionRecord::instance).containsExactly(2, 0);
    assertThat(read.get(0).identity().session()).isEqualTo(-1);
    assertThat(read.get(0).identity().password()).containsExactly(0, -1);
    assertThat(read.get(0).zxid()).isEqualTo(28);
    assertThat(read.get(1).identity().password()).isEmpty();
    assertThat(MemberSessionRecord.read(new byte[0])).isEmpty();
    assertThatThrownBy(() -> MemberSessionRecord.read("1 x".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theServersOfAnInstanceAreTheirOwn() {
    var stat = new Stat();
    stat.setDataLength(6);
    var data = new GetDataResponse("server".getBytes(), stat);
    ZooKeeperRequest asked =
        ZooKeeperRequest.of(OpCode.getData, new GetDataRequest("/zookeeper/config", true));
    var both = new MultiOperationRecord(List.of(Op.getData("/x"), Op.getData("/zookeeper/config")));
    var results = new MultiResponse();
    results.add(new OpResult.GetDataResult("server".getBytes(), stat));
    results.add(new OpResult.GetDataResult("server".getBytes(), stat));

    ZooKeeperReply told =
        ReplyTranslator.translateReply(asked, ZooKeeperReply.done(data), 0, owner -> owner);
    ZooKeeperReply toldOfBoth =
        ReplyTranslator.translateReply(
            ZooKeeperRequest.of(OpCode.multiRead, both),
            ZooKeeperReply.done(results),
            0,
            owner -> owner);

    var seen = Jute.read(told.body(), new GetDataResponse());
    assertThat(seen.getData()).isEmpty();
    assertThat(seen.getStat().getDataLength()).isZero();
    assertThat(Jute.read(toldOfBoth.body(), new MultiResponse()).getResultList())
        .extracting(one -> ((OpResult.GetDataResult) one).getData().length)
        .containsExactly(6, 0);
  }
}
