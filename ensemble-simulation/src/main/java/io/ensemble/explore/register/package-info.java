/**
 * The register explorer enumerates the interleavings of clients' operations and faults on one
 * quorum register.
 */
@NullMarked
package io.ensemble.explore.register;

import org.jspecify.annotations.NullMarked;
