package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.List;
import java.util.UUID;

/** What a course asks of the store. It has one request under way at a time. */
public sealed interface StoreRequest {

  /** Read the root, and beside it the batches in these sessions' mailboxes. */
  record Look(UUID birth, List<UUID> mailboxes) implements StoreRequest {}

  /** Replace the root that was seen, if it is still the one, by the next. */
  record Swap(Object token, ObjectRoot next) implements StoreRequest {}

  /** Write a batch into its session's mailbox. */
  record Post(CallBatch batch) implements StoreRequest {}

  /** Write a snapshot. Nothing else is ever written under that name. */
  record Save(UUID snapshot, ByteString state) implements StoreRequest {}

  /** Read a snapshot. */
  record Fetch(UUID snapshot) implements StoreRequest {}
}
