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

  /**
   * An expected call.
   *
   * @param caller an id whose upper 64 bits are those of a session ({@link
   *     io.ensemble.objects.AtomicObjectFactory#sessionId}), or {@link #NONE}
   * @param isAwaited whether others wait for that call
   */
  record ExpectedCall(UUID caller, boolean isAwaited) {}

  /** No process is expected to call: calls are not to be combined now. */
  UUID NONE = new UUID(0, 0);

  /** The expected call; null if unknown. Must not change the state. */
  @Nullable ExpectedCall expectedCall();
}
