package io.ensemble.catalog;

import io.ensemble.catalog.CatalogException.Reason;
import io.ensemble.catalog.Records.Held;
import io.ensemble.catalog.Records.Kind;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The sites of a federation, as its catalog holds them. Every call is atomic; stages may complete
 * on any thread and fail with {@link CatalogException}. Thread-safe.
 */
public final class SiteEntries {

  private final Records records;

  SiteEntries(Records records) {
    this.records = records;
  }

  /** The site; empty when there is none. */
  public CompletionStage<Optional<SiteEntry>> get(String site) {
    return records.get(Kind.SITE, site).thenApply(held -> held.map(record -> parsed(site, record)));
  }

  /** All sites, by name. One that goes meanwhile is left out. */
  public CompletionStage<List<SiteEntry>> all() {
    return records
        .list(Kind.SITE)
        .thenCompose(names -> Gathered.all(names.stream().map(this::get).toList()))
        .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
  }

  /**
   * Enters a site.
   *
   * @return false when one of that name is there; nothing was changed
   */
  public CompletionStage<Boolean> create(SiteEntry site) {
    return records.create(Kind.SITE, site.name(), text(site));
  }

  /**
   * Replaces the record of revision {@code changed.revision() - 1}.
   *
   * @return false when that is not the present one; nothing was changed
   */
  public CompletionStage<Boolean> replace(SiteEntry changed) {
    return records
        .get(Kind.SITE, changed.name())
        .thenCompose(
            held ->
                held.isPresent()
                        && parsed(changed.name(), held.get()).revision() == changed.revision() - 1
                    ? records.replace(Kind.SITE, changed.name(), held.get(), text(changed))
                    : CompletableFuture.completedFuture(false));
  }

  /**
   * Takes a site out.
   *
   * @return false when {@code known} is not the present record; nothing was changed
   */
  public CompletionStage<Boolean> delete(SiteEntry known) {
    return records
        .get(Kind.SITE, known.name())
        .thenCompose(
            held ->
                held.isPresent() && parsed(known.name(), held.get()).equals(known)
                    ? records.delete(Kind.SITE, known.name(), held.get())
                    : CompletableFuture.completedFuture(false));
  }

  private static Bytes text(SiteEntry site) {
    return Bytes.of(SiteText.write(site));
  }

  private SiteEntry parsed(String site, Held held) {
    String where = records.where(Kind.SITE, site);
    SiteEntry entry;
    try {
      entry = SiteText.read(held.text().array());
    } catch (IllegalArgumentException e) {
      throw new CatalogException(
          Reason.CORRUPT,
          "a record cannot be read: %s; where=%s".formatted(e.getMessage(), where),
          e);
    }
    if (!entry.name().equals(site)) {
      throw new CatalogException(
          Reason.CORRUPT,
          "a record is of another site; wanted=%s found=%s where=%s"
              .formatted(site, entry.name(), where));
    }
    return entry;
  }
}
