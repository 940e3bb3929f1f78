package io.ensemble.objects.protocol;

import io.ensemble.objects.record.CallOutcome;

/** How a call ends, for its caller. */
public sealed interface CallResult {

  /** The call has an outcome. */
  record Answered(CallOutcome outcome) implements CallResult {}

  /** The call was not applied, and will not be. */
  record Refused(String why) implements CallResult {}

  /** The object no longer exists. The call was not applied. */
  record Gone() implements CallResult {}

  /** This process cannot read the state of the object. The call was not applied. */
  record Broken(String why) implements CallResult {}

  /** The call may have been applied, or may be applied later. */
  record Unknown(String why) implements CallResult {}
}
