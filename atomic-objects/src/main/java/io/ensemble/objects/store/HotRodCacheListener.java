package io.ensemble.objects.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.store.ObjectStore.Change;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryCreated;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryModified;
import org.infinispan.client.hotrod.annotation.ClientCacheFailover;
import org.infinispan.client.hotrod.annotation.ClientListener;
import org.infinispan.client.hotrod.event.ClientCacheEntryCustomEvent;
import org.infinispan.client.hotrod.event.ClientCacheFailoverEvent;

/**
 * Forwards entries that were written, with their versions. The listener uses a converter that every
 * server has, since near caches use it. Public because the Hot Rod client calls it.
 */
@ClientListener(converterFactoryName = "___eager-key-value-version-converter", useRawData = true)
public final class HotRodCacheListener {

  private final Consumer<Change> listener;

  HotRodCacheListener(Consumer<Change> listener) {
    this.listener = listener;
  }

  /** An entry was created or modified. */
  @ClientCacheEntryCreated
  @ClientCacheEntryModified
  public void changed(ClientCacheEntryCustomEvent<byte[]> event) {
    change(ByteBuffer.wrap(event.getEventData())).ifPresent(listener);
  }

  /** Events may have been lost. Waiting callers poll soon in any case. */
  @ClientCacheFailover
  public void failedOver(ClientCacheFailoverEvent event) {}

  /** The subject of an event; empty for an entry that does not belong to this store. */
  static Optional<Change> change(ByteBuffer event) {
    try {
      String key = new String(element(event), UTF_8);
      if (!event.hasRemaining()) {
        return Optional.of(new Change(key, Optional.empty()));
      }
      byte[] value = element(event);
      return Optional.of(new Change(key, Optional.of(new Entry(value, event.getLong()))));
    } catch (BufferUnderflowException e) {
      return Optional.empty();
    }
  }

  /** Bytes after their length, which is encoded in groups of seven bits, the low ones first. */
  private static byte[] element(ByteBuffer event) {
    int length = 0;
    int shift = 0;
    byte next;
    do {
      next = event.get();
      length |= (next & 0x7F) << shift;
      shift += 7;
    } while (next < 0);
    if (length < 0 || length > event.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    event.get(bytes);
    return bytes;
  }
}
