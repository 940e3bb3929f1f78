package io.ensemble.benchmarks.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Protocol Buffers messages in the standard format. */
class ProtobufWireFormatTest {

  @Test
  void aMessageIsWrittenAsTheFormatSays() {
    byte[] message =
        new ProtobufWireFormat.Writer().number(1, 150).bytes(2, new byte[] {7}).message();

    assertThat(message).containsExactly(0x08, 0x96, 0x01, 0x12, 0x01, 0x07);
  }

  @Test
  void whatIsZeroIsNotWritten() {
    assertThat(new ProtobufWireFormat.Writer().number(1, 0).bytes(2, new byte[0]).message())
        .isEmpty();
  }

  @Test
  void whatIsWrittenIsReadAndUnknownFieldsArePassedOver() {
    byte[] known =
        new ProtobufWireFormat.Writer().number(3, -1).bytes(200, new byte[300]).message();
    ByteBuffer message = ByteBuffer.allocate(known.length + 14);
    message.put(new byte[] {0x09, 1, 2, 3, 4, 5, 6, 7, 8}); // Eight bytes in field 1.
    message.put(new byte[] {0x15, 1, 2, 3, 4}); // Four in field 2.
    message.put(known).flip();
    List<String> read = new ArrayList<>();

    ProtobufWireFormat.read(
        message,
        new ProtobufWireFormat.Fields() {
          @Override
          public void number(int field, long value) {
            read.add(field + "=" + value);
          }

          @Override
          public void bytes(int field, ByteBuffer value) {
            read.add(field + ":" + value.remaining());
          }
        });

    assertThat(read).containsExactly("3=-1", "200:300");
  }

  @Test
  void aRevisionStandsInTheHeaderOfAnAnswer() {
    byte[] header = new ProtobufWireFormat.Writer().number(1, 5).number(3, 42).message();

    assertThat(EtcdClient.revision(new ProtobufWireFormat.Writer().bytes(1, header).message()))
        .isEqualTo(42);
  }

  @Test
  void anAnswerToATransactionHasTheRevisionOfTheWriteOrTheContentInstead() {
    byte[] header = new ProtobufWireFormat.Writer().number(3, 42).message();
    byte[] key = new ProtobufWireFormat.Writer().number(3, 7).bytes(5, new byte[] {1}).message();
    byte[] range = new ProtobufWireFormat.Writer().bytes(2, key).message();
    byte[] response = new ProtobufWireFormat.Writer().bytes(1, range).message();
    byte[] done = new ProtobufWireFormat.Writer().bytes(1, header).number(2, 1).message();
    byte[] failed = new ProtobufWireFormat.Writer().bytes(1, header).bytes(3, response).message();
    byte[] written = {2};

    EtcdSwap success = EtcdClient.swap(done, written);
    EtcdSwap failure = EtcdClient.swap(failed, written);

    assertThat(success).isEqualTo(new EtcdSwap(true, new KeyRevision(42, written)));
    assertThat(failure.isWritten()).isFalse();
    assertThat(failure.content().modRevision()).isEqualTo(7);
    assertThat(failure.content().value()).containsExactly(1);
    assertThatThrownBy(
            () ->
                EtcdClient.swap(
                    new ProtobufWireFormat.Writer().bytes(1, header).message(), written))
        .hasMessageContaining("did not write");
  }

  @Test
  void aKindOfFieldThatThereIsNotIsRefused() {
    assertThatThrownBy(
            () ->
                ProtobufWireFormat.read(
                    ByteBuffer.wrap(new byte[] {0x0F}), new ProtobufWireFormat.Fields() {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void eventsOfAWatchAreReadAndItsEndIsAnError() {
    byte[] key = new ProtobufWireFormat.Writer().number(3, 7).bytes(5, new byte[] {1, 2}).message();
    byte[] event = new ProtobufWireFormat.Writer().bytes(2, key).message();
    byte[] answer = new ProtobufWireFormat.Writer().bytes(11, event).bytes(11, event).message();
    List<KeyRevision> found = new ArrayList<>();

    EtcdClient.addEvents(answer, found);

    assertThat(found).hasSize(2);
    assertThat(found.get(1).modRevision()).isEqualTo(7);
    assertThat(found.get(1).value()).containsExactly(1, 2);
    byte[] canceled = new ProtobufWireFormat.Writer().number(4, 1).message();
    assertThatThrownBy(() -> EtcdClient.addEvents(canceled, found))
        .hasMessageContaining("ended the watch");
  }
}
