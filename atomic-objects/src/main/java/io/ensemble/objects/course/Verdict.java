package io.ensemble.objects.course;

import io.ensemble.objects.root.Outcome;

/** How a call ends, for its caller. */
public sealed interface Verdict {

  /** It has an outcome. */
  record Answered(Outcome outcome) implements Verdict {}

  /** It was not made, and will not be. */
  record Refused(String why) implements Verdict {}

  /** The object is no more. The call was not made. */
  record Gone() implements Verdict {}

  /** This process cannot read the object's state. The call was not made. */
  record Broken(String why) implements Verdict {}

  /** It may have been made, or may yet be. */
  record Unknown(String why) implements Verdict {}
}
