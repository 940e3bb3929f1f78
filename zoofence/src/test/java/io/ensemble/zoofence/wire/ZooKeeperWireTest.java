package io.ensemble.zoofence.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.junit.jupiter.api.Test;

final class ZooKeeperWireTest {
  private static Stat stat(long owner) {
    return new Stat(1, 2, 3, 4, 5, 6, 7, owner, 9, 10, 11);
  }

  private static ZooKeeperReply data(long owner) {
    return ZooKeeperReply.done(new GetDataResponse(new byte[] {1, 2, 3}, stat(owner)));
  }

  private static GetDataResponse read(ZooKeeperReply reply) {
    return Jute.read(reply.body(), new GetDataResponse());
  }

  @Test
  void transactionsOfInstancesDifferAndKeepTheirOrder() {
    assertThat(Zxids.seen(5, 0)).isNotEqualTo(Zxids.seen(5, 63)).isLessThan(Zxids.seen(6, 0));
    assertThat(Zxids.seen(5, 63)).isLessThan(Zxids.seen(6, 0));
    assertThat(Zxids.seen(0, 3)).isZero();
    assertThat(Zxids.seen(-1, 3)).isEqualTo(-1);
  }

  @Test
  void aTransactionOfALateEpochStaysAboveZero() {
    long zxid = (1L << 24) << 32 | 0xffff_ffffL;

    assertThat(Zxids.seen(zxid, 63)).isPositive();
  }

  @Test
  void aStatIsTranslatedBehindItsDataInACopy() {
    ZooKeeperReply reply = data(8);

    GetDataResponse seen = read(StatTranslator.translated(reply, 3, owner -> owner * 100));

    assertThat(seen.getData()).containsExactly(1, 2, 3);
    assertThat(seen.getStat())
        .isEqualTo(
            new Stat(
                Zxids.seen(1, 3), Zxids.seen(2, 3), 3, 4, 5, 6, 7, 800, 9, 10, Zxids.seen(11, 3)));
    assertThat(read(reply).getStat()).isEqualTo(stat(8));
  }

  @Test
  void whatIsNobodysStaysNobodys() {
    assertThat(StatTranslator.owner(StatTranslator.translated(data(0), 3, owner -> 77))).isZero();
    assertThat(StatTranslator.owner(StatTranslator.owned(data(0), 55))).isEqualTo(55);
    assertThat(StatTranslator.czxid(data(0))).isEqualTo(1);
  }

  @Test
  void aReplyWithoutAStatIsMalformed() {
    assertThatThrownBy(() -> StatTranslator.owner(ZooKeeperReply.done()))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(
            () -> StatTranslator.owner(new ZooKeeperReply(1, 1, 0, ByteBuffer.allocate(67))))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void recordsReadAsTheyWereWrittenAndTheBufferStays() {
    ByteBuffer bytes = Jute.write(new DeleteRequest("/ä", 7));

    DeleteRequest read = Jute.read(bytes, new DeleteRequest());

    assertThat(read).isEqualTo(new DeleteRequest("/ä", 7));
    assertThat(Jute.leadingText(bytes)).isEqualTo("/ä");
    assertThat(bytes.position()).isZero();
  }

  @Test
  void bytesOfNoRecordAreMalformed() {
    ByteBuffer whole = Jute.write(new DeleteRequest("/abc", 7));
    for (int length = 0; length < whole.remaining(); length++) {
      ByteBuffer cut = whole.slice(0, length);
      assertThatThrownBy(() -> Jute.read(cut, new DeleteRequest()))
          .isInstanceOf(MalformedException.class);
    }
    for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 5}) {
      ByteBuffer wrong = ByteBuffer.allocate(8).putInt(0, length);
      assertThatThrownBy(() -> Jute.leadingText(wrong)).isInstanceOf(MalformedException.class);
    }
    assertThatThrownBy(() -> Jute.leadingText(ByteBuffer.allocate(3)))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void framesReadAsTheyWereWritten() {
    ZooKeeperRequest request =
        ZooKeeperRequest.of(OpCode.delete, new DeleteRequest("/a", 1)).numbered(-4);
    ZooKeeperReply reply = data(8).addressed(5, -6);

    assertThat(ZooKeeperRequest.read(request.bytes())).isEqualTo(request);
    assertThat(ZooKeeperReply.read(reply.bytes())).isEqualTo(reply);
    assertThatThrownBy(() -> ZooKeeperRequest.read(ByteBuffer.allocate(7)))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> ZooKeeperReply.read(ByteBuffer.allocate(15)))
        .isInstanceOf(MalformedException.class);
  }
}
