package io.ensemble.objects.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.store.ObjectStore.Change;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HotRodCacheListenerTest {

  @Test
  void anEventIsReadWithItsVersion() {
    byte[] value = new byte[300];
    value[299] = 7;

    Change change =
        HotRodCacheListener.change(ByteBuffer.wrap(event("object/é", value))).orElseThrow();

    assertThat(change.key()).isEqualTo("object/é");
    assertThat(change.entry().orElseThrow().value()).isEqualTo(value);
    assertThat(change.entry().get().token()).isEqualTo(0x0102030405060708L);
  }

  @Test
  void anEventOfAKeyAloneIsAChangeToo() {
    byte[] whole = event("object/a", new byte[0]);
    byte[] key = Arrays.copyOf(whole, 1 + "object/a".length());

    Change change = HotRodCacheListener.change(ByteBuffer.wrap(key)).orElseThrow();

    assertThat(change.key()).isEqualTo("object/a");
    assertThat(change.entry()).isEmpty();
  }

  @Test
  void whatIsCutOffOrSaysOtherLengthsIsNoEvent() {
    byte[] whole = event("object/a", new byte[200]);
    for (int length = 0; length < whole.length; length++) {
      if (length != 1 + "object/a".length()) {
        assertThat(HotRodCacheListener.change(ByteBuffer.wrap(Arrays.copyOf(whole, length))))
            .isEmpty();
      }
    }

    byte[] endless = new byte[64];
    Arrays.fill(endless, (byte) 0xFF);
    assertThat(HotRodCacheListener.change(ByteBuffer.wrap(endless))).isEmpty();
  }

  private static byte[] event(String key, byte[] value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    element(out, key.getBytes(UTF_8));
    element(out, value);
    out.writeBytes(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    return out.toByteArray();
  }

  private static void element(ByteArrayOutputStream out, byte[] bytes) {
    int left = bytes.length;
    while (left > 0x7F) {
      out.write(left & 0x7F | 0x80);
      left >>>= 7;
    }
    out.write(left);
    out.writeBytes(bytes);
  }
}
