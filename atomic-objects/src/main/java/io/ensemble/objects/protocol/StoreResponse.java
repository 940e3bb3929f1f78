package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the store answered. */
public sealed interface StoreResponse {

  /**
   * To a look.
   *
   * @param root as it was at some time since the look began; null if there is none
   * @param token by which the store knows that very root; null exactly if {@code root} is
   * @param posted what was found in the mailboxes
   */
  record Looked(@Nullable ObjectRoot root, @Nullable Object token, List<CallBatch> posted)
      implements StoreResponse {}

  /**
   * To a swap. Neither value is believed when it is false: the root is looked at.
   *
   * @param token by which the store knows the new root, if it told
   */
  record Swapped(boolean done, @Nullable Object token) implements StoreResponse {}

  /** To a post or a save. */
  record Done() implements StoreResponse {}

  /** To a fetch: the snapshot, or null if it is not there. */
  record Fetched(@Nullable ByteString state) implements StoreResponse {}

  /** No answer came, or an error: the request may have been carried out, or may yet be. */
  record Failed(String why) implements StoreResponse {}

  /** What was read is not what an object is made of. */
  record Unreadable(String why) implements StoreResponse {}
}
