/**
 * The main job in one run: real records in a WEAK and an MWMR cache while a whole site dies,
 * returns empty and is filled again. Whatever is written is noted, and whatever is read is held
 * against the notes: a step that finds a difference fails, and with it the demonstration.
 */
@NullMarked
package io.ensemble.deploy.demo;

import org.jspecify.annotations.NullMarked;
