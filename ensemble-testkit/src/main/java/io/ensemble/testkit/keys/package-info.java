/**
 * Keys, certificates and passwords of sites that a test or a demonstration starts. The key of the
 * certificate authority is discarded after it has signed, and only the owner of a file can read it.
 */
@NullMarked
package io.ensemble.testkit.keys;

import org.jspecify.annotations.NullMarked;
