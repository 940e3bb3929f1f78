package io.ensemble.site.hotrod;

import io.ensemble.site.Bytes;
import io.ensemble.site.StoreObserver;
import java.nio.ByteBuffer;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryCreated;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryModified;
import org.infinispan.client.hotrod.annotation.ClientCacheFailover;
import org.infinispan.client.hotrod.annotation.ClientListener;
import org.infinispan.client.hotrod.event.ClientCacheEntryCustomEvent;
import org.infinispan.client.hotrod.event.ClientCacheFailoverEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the events of one store. The converter is part of every Infinispan Server; it adds the
 * value to an event. The class and its methods are public for Infinispan's client, which finds them
 * by their annotations.
 */
@ClientListener(converterFactoryName = "___eager-key-value-version-converter", useRawData = true)
public final class StoreListener {

  private static final Logger LOG = LoggerFactory.getLogger(StoreListener.class);

  private final String store;
  private final StoreObserver observer;

  StoreListener(String store, StoreObserver observer) {
    this.store = store;
    this.observer = observer;
  }

  /** The store has a new entry. */
  @ClientCacheEntryCreated
  public void created(ClientCacheEntryCustomEvent<byte[]> event) {
    stored(event.getEventData());
  }

  /** An entry was replaced. */
  @ClientCacheEntryModified
  public void modified(ClientCacheEntryCustomEvent<byte[]> event) {
    stored(event.getEventData());
  }

  /** The client has lost its connection, and with it perhaps events. */
  @ClientCacheFailover
  public void failedOver(ClientCacheFailoverEvent event) {
    observer.interrupted();
  }

  /** Key and value, each after its length, and the entry version. */
  private void stored(byte[] data) {
    try {
      ByteBuffer in = ByteBuffer.wrap(data);
      Bytes key = next(in);
      if (in.hasRemaining()) {
        observer.stored(key, next(in));
      }
    } catch (RuntimeException malformed) {
      LOG.warn("an event of a store cannot be read; store={}", store, malformed);
      observer.interrupted();
    }
  }

  private static Bytes next(ByteBuffer in) {
    byte[] bytes = new byte[length(in)];
    in.get(bytes);
    return Bytes.of(bytes);
  }

  /** An unsigned number of variable length, seven bits in each byte, the lowest ones first. */
  private static int length(ByteBuffer in) {
    int result = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = in.get();
      result |= (next & 0x7f) << shift;
      if (next >= 0) {
        if (result < 0 || result > in.remaining()) {
          throw new IllegalArgumentException("length exceeds the event; length=" + result);
        }
        return result;
      }
    }
  }
}
