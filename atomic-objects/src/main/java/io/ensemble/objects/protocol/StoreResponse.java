package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The response of the store. */
public sealed interface StoreResponse {

  /**
   * The response to a {@link StoreRequest.Look}.
   *
   * @param root the root at some time since the request was sent; null if there is none
   * @param token identifies the version of that root at the store; null exactly if {@code root} is
   * @param posted the batches found in the mailboxes
   */
  record Looked(@Nullable ObjectRoot root, @Nullable Object token, List<CallBatch> posted)
      implements StoreResponse {}

  /**
   * The response to a swap. If {@code done} is false, the swap may still have taken effect: the
   * root is read, unless the store reported it.
   *
   * @param token identifies the version of the new root, if the store reported it
   * @param found if not done, the root that the store reported; null if it did not
   */
  record Swapped(boolean done, @Nullable Object token, @Nullable Looked found)
      implements StoreResponse {

    Swapped(boolean done, @Nullable Object token) {
      this(done, token, null);
    }
  }

  /** The response to a post or a save. */
  record Done() implements StoreResponse {}

  /** The response to a fetch: the snapshot, or null if it is missing. */
  record Fetched(@Nullable ByteString state) implements StoreResponse {}

  /** No response, or an error: the request may have been executed, or may be later. */
  record Failed(String why) implements StoreResponse {}

  /** The entry that was read does not belong to an object. */
  record Unreadable(String why) implements StoreResponse {}
}
