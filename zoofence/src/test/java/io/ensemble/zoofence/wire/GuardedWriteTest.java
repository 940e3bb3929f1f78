package io.ensemble.zoofence.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.Create2Response;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.SetDataResponse;
import org.junit.jupiter.api.Test;

final class GuardedWriteTest {
  private static ZooKeeperReply reply(OpResult... results) {
    var response = new MultiResponse();
    List.of(results).forEach(response::add);
    // Not at the start of its array, like a reply that was cut out of a frame.
    ByteBuffer body = Jute.write(response);
    ByteBuffer shifted =
        ByteBuffer.allocate(body.remaining() + 5).position(5).put(body).position(5);
    return new ZooKeeperReply(9, 77, 0, shifted);
  }

  private static OpResult error(Code code) {
    return new OpResult.ErrorResult(code.intValue());
  }

  private static List<Op> operations(ZooKeeperRequest request) {
    var operations = new ArrayList<Op>();
    Jute.read(request.body(), new MultiOperationRecord()).forEach(operations::add);
    return operations;
  }

  @Test
  void aWriteStandsBehindTheCheckOfTheGuard() {
    ZooKeeperRequest write =
        ZooKeeperRequest.of(OpCode.delete, new DeleteRequest("/a", 4)).numbered(12);

    ZooKeeperRequest guarded = GuardedWrite.guarded(write, "/guard", 3);

    assertThat(guarded.type()).isEqualTo(OpCode.multi);
    assertThat(guarded.xid()).isEqualTo(12);
    assertThat(operations(guarded)).containsExactly(Op.check("/guard", 3), Op.delete("/a", 4));
    assertThat(write.path()).isEqualTo("/a");
  }

  @Test
  void theOperationsOfATransactionStandBehindTheCheck() {
    var own = List.of(Op.setData("/a", new byte[] {1}, -1), Op.check("/b", 2));
    ZooKeeperRequest write = ZooKeeperRequest.of(OpCode.multi, new MultiOperationRecord(own));

    assertThat(operations(GuardedWrite.guarded(write, "/guard", 3)))
        .containsExactly(Op.check("/guard", 3), own.get(0), own.get(1));
  }

  @Test
  void onlyAGuardOfAnotherVersionTurnsAWriteAway() {
    assertThat(
            GuardedWrite.turnedAway(
                reply(error(Code.BADVERSION), error(Code.RUNTIMEINCONSISTENCY))))
        .isTrue();
    assertThat(GuardedWrite.turnedAway(reply(error(Code.OK), error(Code.BADVERSION)))).isFalse();
    assertThat(
            GuardedWrite.turnedAway(reply(new OpResult.CheckResult(), new OpResult.DeleteResult())))
        .isFalse();
    assertThat(GuardedWrite.turnedAway(ZooKeeperReply.failed(Code.BADVERSION))).isFalse();
  }

  @Test
  void theReplyIsThatOfTheWriteItself() {
    var stat = new Stat(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);

    ZooKeeperReply set =
        GuardedWrite.unguarded(
            reply(new OpResult.CheckResult(), new OpResult.SetDataResult(stat)), OpCode.setData);
    ZooKeeperReply created =
        GuardedWrite.unguarded(
            reply(new OpResult.CheckResult(), new OpResult.CreateResult("/a", stat)),
            OpCode.create2);
    ZooKeeperReply deleted =
        GuardedWrite.unguarded(
            reply(new OpResult.CheckResult(), new OpResult.DeleteResult()), OpCode.delete);

    assertThat(Jute.read(set.body(), new SetDataResponse()).getStat()).isEqualTo(stat);
    assertThat(Jute.read(created.body(), new Create2Response()).getPath()).isEqualTo("/a");
    assertThat(deleted.body().remaining()).isZero();
    assertThat(set.xid()).isEqualTo(9);
    assertThat(set.zxid()).isEqualTo(77);
  }

  @Test
  void aRefusedWriteHasItsOwnErrorAndNoBody() {
    ZooKeeperReply refused =
        GuardedWrite.unguarded(reply(error(Code.OK), error(Code.NOTEMPTY)), OpCode.delete);

    assertThat(refused.error()).isEqualTo(Code.NOTEMPTY.intValue());
    assertThat(refused.body().remaining()).isZero();
    assertThat(refused.xid()).isEqualTo(9);
  }

  @Test
  void aTransactionsResultsAreThoseWithoutTheGuards() {
    ZooKeeperReply done =
        GuardedWrite.unguarded(
            reply(
                new OpResult.CheckResult(),
                new OpResult.DeleteResult(),
                new OpResult.CheckResult()),
            OpCode.multi);
    ZooKeeperReply refused =
        GuardedWrite.unguarded(
            reply(error(Code.OK), error(Code.OK), error(Code.NONODE)), OpCode.multi);

    assertThat(Jute.read(done.body(), new MultiResponse()).getResultList())
        .containsExactly(new OpResult.DeleteResult(), new OpResult.CheckResult());
    assertThat(Jute.read(refused.body(), new MultiResponse()).getResultList())
        .containsExactly(error(Code.OK), error(Code.NONODE));
  }

  @Test
  void whatIsTooShortIsMalformed() {
    ByteBuffer refused = reply(error(Code.OK), error(Code.NOTEMPTY)).body();
    for (int length = 0; length < refused.remaining() - 9; length++) {
      malformed(refused, length, OpCode.delete);
    }
    ByteBuffer done = reply(new OpResult.CheckResult(), new OpResult.DeleteResult()).body();
    for (int length = 0; length < done.remaining(); length++) {
      malformed(done, length, OpCode.delete);
    }
    malformed(refused, 12, OpCode.multi);
    for (int length = 0; length < 13; length++) {
      ZooKeeperReply cut = new ZooKeeperReply(1, 1, 0, refused.slice(refused.position(), length));
      assertThatThrownBy(() -> GuardedWrite.turnedAway(cut)).isInstanceOf(MalformedException.class);
    }
  }

  private static void malformed(ByteBuffer whole, int length, int type) {
    ZooKeeperReply cut = new ZooKeeperReply(1, 1, 0, whole.slice(whole.position(), length));
    assertThatThrownBy(() -> GuardedWrite.unguarded(cut, type))
        .as("%s bytes", length)
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void whatChangesAnAccessListIsNoPartOfATransaction() {
    assertThat(GuardedWrite.possible(OpCode.setACL)).isFalse();
    assertThat(GuardedWrite.possible(OpCode.getData)).isFalse();
    assertThat(GuardedWrite.possible(OpCode.createTTL)).isTrue();
  }
}
