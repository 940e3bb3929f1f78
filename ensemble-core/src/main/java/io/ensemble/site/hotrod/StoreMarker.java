package io.ensemble.site.hotrod;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entry that identifies a node's store as the one that was created there: written at creation,
 * and lost with everything else. No user's key equals its key, because encoded keys begin with a
 * small number. Scans leave the marker out.
 */
final class StoreMarker {

  static final Bytes KEY = Bytes.of((byte) 0xff, (byte) 0x01);

  private StoreMarker() {}

  /** The marker of a store. */
  static Bytes of(String store) {
    return Bytes.of(store.getBytes(UTF_8));
  }

  /**
   * Accepts the marker of {@code store}; fails with {@link Reason#STORE_LOST} for all other values.
   */
  static void check(String site, String store, byte @Nullable [] found) {
    if (!Arrays.equals(found, of(store).array())) {
      String detail = "the node does not have the store; store=" + store;
      throw new SiteException(site, Reason.STORE_LOST, detail);
    }
  }

  /**
   * A batch without the marker. If the batch held only the marker, the next batch is returned,
   * because an empty batch is the last.
   */
  static CompletionStage<List<Item>> without(Supplier<CompletionStage<List<Item>>> batches) {
    return batches
        .get()
        .thenCompose(
            batch -> {
              List<Item> others = new ArrayList<>(batch);
              boolean had = others.removeIf(item -> item.key().equals(KEY));
              return had && others.isEmpty()
                  ? without(batches)
                  : CompletableFuture.completedStage(others);
            });
  }
}
