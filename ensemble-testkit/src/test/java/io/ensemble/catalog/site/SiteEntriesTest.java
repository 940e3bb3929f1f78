package io.ensemble.catalog.site;

import static io.ensemble.catalog.definition.DistributedCatalogContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SiteEntriesTest {

  private static final List<Endpoint> HERE = List.of(new Endpoint("h", 1), new Endpoint("::1", 2));
  private static final SiteEntry LYON = SiteEntry.open("lyon", HERE, SiteStorage.DISK);

  @TempDir Path directory;

  private SiteEntries sites() {
    return FileDefinitions.in(directory).sites();
  }

  @Test
  void everythingOfASiteComesBack() {
    SecretReference password = new SecretReference(Optional.of("/run/secret"), Optional.empty());
    SiteEntry secured =
        new SiteEntry(
            "ü = x",
            HERE,
            Optional.of(new CredentialsReference("ada", password, Optional.of("PLAIN"))),
            Optional.of(
                new TlsReference(
                    "/trust.p12",
                    Optional.of(new SecretReference(Optional.empty(), Optional.of("TRUST"))),
                    Optional.of("sites.example"))),
            SiteStorage.MEMORY,
            Map.of("region", "eu", "zone", "eu-1/a"),
            State.DRAINING,
            3);

    assertThat(get(sites().create(secured))).isTrue();
    assertThat(get(sites().create(LYON))).isTrue();

    assertThat(get(sites().get("ü = x"))).contains(secured);
    assertThat(get(sites().all())).containsExactly(LYON, secured);
    assertThat(get(sites().get("oslo"))).isEmpty();
  }

  @Test
  void changesNeedThePresentRevision() {
    assertThat(get(sites().create(LYON))).isTrue();
    assertThat(get(sites().create(LYON.in(State.DRAINING)))).isFalse();
    SiteEntry moved = LYON.at(List.of(new Endpoint("other", 9)));

    assertThat(get(sites().replace(moved))).isTrue();
    assertThat(get(sites().replace(LYON.labelled(Map.of("a", "b"))))).isFalse();
    assertThat(get(sites().delete(LYON))).isFalse();
    assertThat(get(sites().get("lyon"))).contains(moved);

    assertThat(get(sites().delete(moved))).isTrue();
    assertThat(get(sites().all())).isEmpty();
  }

  @Test
  void aDamagedRecordIsReportedWithItsPlace() throws IOException {
    get(sites().create(LYON));
    Path file = directory.resolve("lyon.site");
    Files.writeString(file, Files.readString(file).replace("endpoint=h:1", "endpoint=i:1"));

    assertThatThrownBy(() -> get(sites().all()))
        .isInstanceOf(CatalogException.class)
        .hasMessageContainingAll("checksum", file.toString());
  }

  @ParameterizedTest
  @CsvSource({"Region,eu", "region,''", "re gion,eu", "region,eu=x"})
  void aLabelIsPlain(String label, String value) {
    assertThatThrownBy(() -> LYON.labelled(Map.of(label, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a label must be name=value");
  }

  @Test
  void aSiteHasEndpointsEachOnce() {
    assertThatThrownBy(() -> LYON.at(List.of())).hasMessageContaining("site=lyon");
    assertThatThrownBy(() -> LYON.at(List.of(HERE.get(0), HERE.get(0))))
        .hasMessageContaining("each listed once");
  }

  @Test
  void aPasswordIsInOnePlace() {
    assertThatThrownBy(() -> new SecretReference(Optional.empty(), Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
