package io.ensemble.catalog.site;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.ParsedRecords;
import io.ensemble.catalog.record.RevisedRecords;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The sites of a federation, as its catalog holds them. Every call is atomic; stages may complete
 * on any thread and fail with {@link CatalogException}. Thread-safe.
 */
public final class SiteEntries {

  private final RevisedRecords<SiteEntry> records;

  public SiteEntries(CatalogRecords records) {
    this.records = new RevisedRecords<>(records, Kind.SITE, new SiteFormat());
  }

  private static final class SiteFormat implements RevisedRecords.RecordFormat<SiteEntry> {
    @Override
    public byte[] write(SiteEntry site) {
      return SiteText.write(site);
    }

    @Override
    public SiteEntry read(byte[] text) {
      return SiteText.read(text);
    }

    @Override
    public String name(SiteEntry site) {
      return site.name();
    }

    @Override
    public long revision(SiteEntry site) {
      return site.revision();
    }
  }

  /** The site; empty if there is none. */
  public CompletionStage<Optional<SiteEntry>> get(String site) {
    return records.get(site);
  }

  /** All sites, by name. A site that is removed meanwhile is left out. */
  public CompletionStage<List<SiteEntry>> all() {
    return records.all();
  }

  /** As {@link #all}, with the names of unreadable records instead of a failure. */
  public CompletionStage<ParsedRecords<SiteEntry>> legible() {
    return records.legible();
  }

  /**
   * Adds a site.
   *
   * @return false if one of that name exists; nothing was changed
   */
  public CompletionStage<Boolean> create(SiteEntry site) {
    return records.create(site);
  }

  /**
   * Replaces the record of revision {@code changed.revision() - 1}.
   *
   * @return false if that is not the present record; nothing was changed
   */
  public CompletionStage<Boolean> replace(SiteEntry changed) {
    return records.replace(changed);
  }

  /**
   * Removes a site.
   *
   * @return false if {@code known} is not the present record; nothing was changed
   */
  public CompletionStage<Boolean> delete(SiteEntry known) {
    return records.delete(known);
  }
}
