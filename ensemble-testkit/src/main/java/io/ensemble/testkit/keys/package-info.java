/**
 * Keys, certificates and passwords of sites that are started here: an authority that is forgotten
 * when it has signed, what it signs, and files that only their owner reads.
 */
@NullMarked
package io.ensemble.testkit.keys;

import org.jspecify.annotations.NullMarked;
