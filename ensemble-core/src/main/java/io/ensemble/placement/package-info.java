/**
 * At which sites a cache is placed, as a pure function of the policy, of the sites and their
 * content, and of the other caches' sites. All processes with the same input decide the same,
 * whatever the order of the input. The decision states for every site why it was taken or not.
 */
@NullMarked
package io.ensemble.placement;

import org.jspecify.annotations.NullMarked;
