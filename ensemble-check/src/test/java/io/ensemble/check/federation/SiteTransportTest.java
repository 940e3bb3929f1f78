package io.ensemble.check.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTransportTest {

  private static final char[] PASSWORD = "hush-hush".toCharArray();

  @TempDir Path directory;

  private static void permit(Path file, String permissions) throws Exception {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void aKeyStoreThatEveryUserCanReadIsRefused() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("test", Duration.ofHours(1));
    Path trust = directory.resolve("trust.p12");
    Path keys = directory.resolve("ada.p12");
    TlsIdentity.writeTrust(trust, PASSWORD, authority.certificate());
    authority.client("ada").write(keys, PASSWORD);
    SiteConfiguration site =
        SiteConfiguration.builder("lyon")
            .endpoint("127.0.0.1:11222")
            .tls(Tls.trusting(trust, PASSWORD).withKeyStore(keys, PASSWORD))
            .build();
    permit(directory, "rwxr-xr-x");
    for (Path above = directory.toRealPath(); above != null; above = above.getParent()) {
      assumeTrue(
          Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE),
          "the directory for temporary files is private");
    }

    permit(keys, "rw-r--r--");
    assertThatThrownBy(() -> SiteTransport.to(site))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("must not be accessible to every user")
        .hasMessageContaining("file=" + keys);

    permit(keys, "rw-r-----");
    assertThat(SiteTransport.to(site)).isNotNull();
  }
}
