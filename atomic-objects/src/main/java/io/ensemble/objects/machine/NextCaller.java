package io.ensemble.objects.machine;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A state that knows which process will probably make the next urgent call, as the holder of a lock
 * will release it. That process then becomes the combiner: it needs one step for its call, and
 * applies in the same step the calls that others have posted meanwhile. A hint: it saves time, and
 * safety does not depend on it.
 */
public interface NextCaller {

  /** No process will: calls are not to be combined now. */
  UUID NONE = new UUID(0, 0);

  /**
   * An id whose upper 64 bits are those of a session ({@link
   * io.ensemble.objects.AtomicObjectFactory#sessionId}), {@link #NONE}, or null if unknown. Must
   * not change the state.
   */
  @Nullable UUID nextCaller();
}
