package io.ensemble.objects.record;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The root of an object: the entry that decides everything. Replacing one root by the next with a
 * compare-and-set orders the calls of that step.
 *
 * @param type the name of the object's type
 * @param birth the birth of the object; objects of the same name have different births
 * @param sequence the number of steps of the name, over all its objects; each step adds one
 * @param position the number of calls of the name; the fencing token of the n-th call is n
 * @param body the state
 * @param members the remembered sessions, the most recently active one last
 * @param horizon the last step of any session that is no longer remembered; batches begun before it
 *     by a session that is not a member may have been applied, or not
 * @param combiner the session that applies the calls of others, if there is one
 * @param announced the snapshot that is being written, if there is one
 * @param fingerprint of the state after this step, where replicas are compared; otherwise 0
 */
public record ObjectRoot(
    String type,
    UUID birth,
    long sequence,
    long position,
    StateLocation body,
    List<SessionEntry> members,
    long horizon,
    @Nullable UUID combiner,
    @Nullable SnapshotAnnouncement announced,
    long fingerprint) {

  /** The status of a batch by this root. */
  public enum Standing {
    /** The batch has not been applied, and may be. */
    NEW,
    /** The batch has been applied. */
    APPLIED,
    /** The batch may have been applied: its session is no longer remembered. */
    FORGOTTEN,
    /** The batch belongs to an object that no longer exists. */
    OF_ANOTHER_LIFE
  }

  /** Copies the list. */
  public ObjectRoot {
    members = List.copyOf(members);
  }

  /** The root of a new object. */
  public static ObjectRoot first(String type, UUID birth, ByteString state) {
    return new ObjectRoot(
        type, birth, 1, 0, new StateLocation.Inline(state), List.of(), 0, null, null, 0);
  }

  /** The root of a new object in the place of this one, which was disposed of. */
  public ObjectRoot reborn(String type, UUID birth, ByteString state) {
    return new ObjectRoot(
        type,
        birth,
        sequence + 1,
        position,
        new StateLocation.Inline(state),
        List.of(),
        sequence,
        null,
        null,
        0);
  }

  /** The root after the object was disposed of; it still records the batches that were applied. */
  public ObjectRoot disposed() {
    return new ObjectRoot(
        type,
        birth,
        sequence + 1,
        position,
        new StateLocation.Disposed(),
        members.stream()
            .map(m -> new SessionEntry(m.session(), m.number(), m.sequence(), List.of()))
            .toList(),
        horizon,
        null,
        null,
        0);
  }

  /** Whether the object was disposed of. */
  public boolean isDisposed() {
    return body instanceof StateLocation.Disposed;
  }

  /** The entry of {@code session}, if it is remembered. */
  public Optional<SessionEntry> member(UUID session) {
    return members.stream().filter(m -> m.session().equals(session)).findFirst();
  }

  /** The status of a batch by this root. */
  public Standing standing(CallBatch batch) {
    return isDisposed() ? Standing.OF_ANOTHER_LIFE : remembered(batch);
  }

  /**
   * Whether a batch that was in progress when the object was disposed of certainly was not applied.
   */
  public boolean cannotHaveSeen(CallBatch batch) {
    return remembered(batch) == Standing.NEW;
  }

  /**
   * Whether a copy of the state after {@code earlier} can be brought to the state after this root,
   * by the calls of this root's tail for the steps after {@code earlier}. The contents decide,
   * since a store may lose a step that it has shown, and another step has that number then.
   */
  public boolean continues(ObjectRoot earlier) {
    if (!earlier.birth.equals(birth) || earlier.sequence > sequence) {
      return false;
    }
    if (earlier.sequence == sequence) {
      return earlier.position == position && earlier.body.equals(body);
    }
    return body instanceof StateLocation.Stored stored && stored.continues(earlier);
  }

  private Standing remembered(CallBatch batch) {
    if (!batch.birth().equals(birth)) {
      return Standing.OF_ANOTHER_LIFE;
    }
    Optional<SessionEntry> member = member(batch.session());
    if (member.isPresent()) {
      return batch.number() > member.get().number() ? Standing.NEW : Standing.APPLIED;
    }
    return batch.base() >= horizon ? Standing.NEW : Standing.FORGOTTEN;
  }
}
