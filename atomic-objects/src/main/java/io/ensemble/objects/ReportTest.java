package io.ensemble.objects;

/** Tests a state that was reported to a waiting caller. */
@FunctionalInterface
public interface ReportTest<S> {

  /**
   * Whether the caller should look at the object now.
   *
   * @param state a copy of the state, only to be read
   * @param isCertain whether the object certainly had this state, because it was read; an event may
   *     report a state that was undone before any process could read it
   */
  boolean matters(S state, boolean isCertain);
}
