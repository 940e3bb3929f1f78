package io.ensemble.rest.resource.context;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import java.util.function.Supplier;

/**
 * Changes for which a repeated request is safe, since it finds the result of the first one. Their
 * problems say so. No problem claims that nothing was done if something may have been.
 */
public final class IdempotentChange {

  private IdempotentChange() {}

  /** Makes a change; after a lost response of the catalog, the request may be repeated. */
  public static <T> T change(Supplier<T> change) {
    try {
      return change.get();
    } catch (CatalogException e) {
      if (e.reason() == CatalogException.Reason.UNKNOWN) {
        throw toUnknownOutcome("perhaps applied: ", e);
      }
      throw e;
    }
  }

  /** Makes a change that may still be in progress when too few sites have answered in time. */
  public static <T> T changeSlowly(Supplier<T> change) {
    try {
      return change(change);
    } catch (QuorumUnavailableException e) {
      throw new ProblemException(
          ProblemMapper.unknown(
              e.shortfall(),
              "perhaps applied, or still in progress: the site cannot be read, or the deadline "
                  + "passed",
              true));
    }
  }

  /** Reads the state after a change. */
  public static <T> T readState(Supplier<T> reader) {
    try {
      return reader.get();
    } catch (CatalogException e) {
      throw toUnknownOutcome("applied, but the state after the change cannot be read: ", e);
    }
  }

  private static ProblemException toUnknownOutcome(String prefix, CatalogException failure) {
    return new ProblemException(
        Problem.bare(ProblemType.UNKNOWN_OUTCOME, prefix + failure.getMessage())
            .with("retrySafe", true));
  }
}
