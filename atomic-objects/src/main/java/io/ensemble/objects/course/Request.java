package io.ensemble.objects.course;

import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.List;
import java.util.UUID;

/** What a course asks of the store. It has one request under way at a time. */
public sealed interface Request {

  /** Read the root, and beside it the batches in these sessions' mailboxes. */
  record Look(UUID birth, List<UUID> mailboxes) implements Request {}

  /** Replace the root that was seen, if it is still the one, by the next. */
  record Swap(Object token, Root next) implements Request {}

  /** Write a batch into its session's mailbox. */
  record Post(Batch batch) implements Request {}

  /** Write a snapshot. Nothing else is ever written under that name. */
  record Save(UUID snapshot, Bytes state) implements Request {}

  /** Read a snapshot. */
  record Fetch(UUID snapshot) implements Request {}
}
