package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.List;
import java.util.UUID;

/** A request of a session to the store. A session has one request outstanding at a time. */
public sealed interface StoreRequest {

  /** Read the root, and with it the batches in the mailboxes of these sessions. */
  record Look(UUID birth, List<UUID> mailboxes) implements StoreRequest {}

  /** Replace the root that was read by the next one, if it is still the same. */
  record Swap(Object token, ObjectRoot next) implements StoreRequest {}

  /**
   * Write a batch to a mailbox.
   *
   * @param mailbox the session of the batch; the birth of the object for the shared mailbox
   */
  record Post(UUID mailbox, CallBatch batch) implements StoreRequest {}

  /** Write a snapshot. No other content is ever written under that name. */
  record Save(UUID snapshot, ByteString state) implements StoreRequest {}

  /** Read a snapshot. */
  record Fetch(UUID snapshot) implements StoreRequest {}
}
