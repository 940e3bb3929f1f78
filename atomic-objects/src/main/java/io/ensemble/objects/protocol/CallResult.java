package io.ensemble.objects.protocol;

import io.ensemble.objects.record.CallOutcome;

/** How a call ends, for its caller. */
public sealed interface CallResult {

  /** It has an outcome. */
  record Answered(CallOutcome outcome) implements CallResult {}

  /** It was not made, and will not be. */
  record Refused(String why) implements CallResult {}

  /** The object is no more. The call was not made. */
  record Gone() implements CallResult {}

  /** This process cannot read the object's state. The call was not made. */
  record Broken(String why) implements CallResult {}

  /** It may have been made, or may yet be. */
  record Unknown(String why) implements CallResult {}
}
