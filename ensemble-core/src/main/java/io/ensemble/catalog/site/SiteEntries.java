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
    this.records = new RevisedRecords<>(records, Kind.SITE, new SiteForm());
  }

  private static final class SiteForm implements RevisedRecords.Form<SiteEntry> {
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

  /** The site; empty when there is none. */
  public CompletionStage<Optional<SiteEntry>> get(String site) {
    return records.get(site);
  }

  /** All sites, by name. One that goes meanwhile is left out. */
  public CompletionStage<List<SiteEntry>> all() {
    return records.all();
  }

  /** As {@link #all}, without those that cannot be read, which are named. */
  public CompletionStage<ParsedRecords<SiteEntry>> legible() {
    return records.legible();
  }

  /**
   * Enters a site.
   *
   * @return false when one of that name is there; nothing was changed
   */
  public CompletionStage<Boolean> create(SiteEntry site) {
    return records.create(site);
  }

  /**
   * Replaces the record of revision {@code changed.revision() - 1}.
   *
   * @return false when that is not the present one; nothing was changed
   */
  public CompletionStage<Boolean> replace(SiteEntry changed) {
    return records.replace(changed);
  }

  /**
   * Takes a site out.
   *
   * @return false when {@code known} is not the present record; nothing was changed
   */
  public CompletionStage<Boolean> delete(SiteEntry known) {
    return records.delete(known);
  }
}
