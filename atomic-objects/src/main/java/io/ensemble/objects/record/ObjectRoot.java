package io.ensemble.objects.record;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An object's root: all that decides. Whoever replaces one root by the next, comparing, has ordered
 * the calls of that step.
 *
 * @param type the name of the object's type
 * @param birth which of the objects that have had this name
 * @param sequence how many steps the name has seen; grows by one with each, over all its objects
 * @param position how many calls the name has seen; the n-th call's fencing token is n
 * @param body the state
 * @param members the sessions that are remembered, the one heard of last at the end
 * @param horizon the last step of any session that is remembered no more; batches begun before it
 *     by a session that is not a member may have been applied, or not
 * @param combiner who applies the others' calls, if somebody does
 * @param announced the snapshot that is being written, if one is
 * @param fingerprint of the state after this step, where replicas are compared; 0 if they are not
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

  /** What a root knows of a batch. */
  public enum Standing {
    /** It has not been applied, and may be. */
    NEW,
    /** It has been. */
    APPLIED,
    /** It may have been: its session is remembered no more. */
    FORGOTTEN,
    /** It was meant for an object that is no more. */
    OF_ANOTHER_LIFE
  }

  /** Copies the list. */
  public ObjectRoot {
    members = List.copyOf(members);
  }

  /** A new object. */
  public static ObjectRoot first(String type, UUID birth, ByteString state) {
    return new ObjectRoot(
        type, birth, 1, 0, new StateLocation.Inline(state), List.of(), 0, null, null, 0);
  }

  /** A new object in the place of this one, which was disposed of. */
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

  /** No object any more; which batches it has seen remains known. */
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

  /** Whether there is no object. */
  public boolean isDisposed() {
    return body instanceof StateLocation.Disposed;
  }

  /** What is remembered of {@code session}. */
  public Optional<SessionEntry> member(UUID session) {
    return members.stream().filter(m -> m.session().equals(session)).findFirst();
  }

  /** What this root knows of a batch. */
  public Standing standing(CallBatch batch) {
    return isDisposed() ? Standing.OF_ANOTHER_LIFE : remembered(batch);
  }

  /** Whether a batch that was under way when the object ended certainly was not applied. */
  public boolean cannotHaveSeen(CallBatch batch) {
    return remembered(batch) == Standing.NEW;
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
