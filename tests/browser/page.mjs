// SPDX-License-Identifier: Apache-2.0
// usage: node page.mjs BROWSER PAGE.html CHECK…
//
// Open a page of mlscore report in a browser and run checks on it.  A CHECK is the name of a check, optionally followed
// by a colon and an argument.  Print "ok CHECK" or "not ok CHECK: why" for each check.  The exit status is 0 if all
// checks could be run.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [browserPath, pagePath, ...wanted] = process.argv.slice(2);
// Packages are installed in the build folder, not next to this file.
const require = createRequire(`${process.env.BROWSER_PACKAGES}/package.json`);
const puppeteer = require('puppeteer-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const url = pathToFileURL(pagePath).href;

const scheme = (value) => [{ name: 'prefers-color-scheme', value }];
const seriousImpacts = ['serious', 'critical'];
const axeTags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];

let browser;

// A page of its own for each check: none sees what another left behind.  What the browser complains of is kept.
async function open({ width = 1200, media = 'light', script = true, fragment = '' } = {}) {
    const page = await browser.newPage();
    page.complaints = [];
    page.on('console', (message) => {
        if (['error', 'warning', 'warn'].includes(message.type())) page.complaints.push(message.text());
    });
    page.on('pageerror', (error) => page.complaints.push(String(error)));
    page.on('request', (request) => {
        if (request.url().split('#')[0] !== url) page.complaints.push(`it asks for ${request.url()}`);
    });
    await page.setJavaScriptEnabled(script);
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures(scheme(media));
    await page.goto(url + fragment, { waitUntil: 'load', timeout: 120000 });
    return page;
}

function demand(condition, why) {
    if (!condition) throw new Error(why);
}

// What stands on the page: the text of closed details and of plots too.
const textOf = (page) => page.evaluate(() => document.body.textContent.replace(/\s+/g, ' '));

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

// The figures of `score --format json` as people read them; of clocks that went back a page has its own sign.
function figuresOf(scorePath) {
    const figures = new Set();
    for (const group of JSON.parse(readFileSync(scorePath, 'utf8')).groups ?? []) {
        for (const minutes of [group.score_minutes, group.scaled_minutes]) {
            if (typeof minutes === 'number' && minutes > 0) figures.add(minutes.toFixed(3));
        }
        for (const run of group.runs ?? []) {
            if (typeof run.minutes === 'number' && run.minutes > 0) figures.add(run.minutes.toFixed(3));
            if (typeof run.samples === 'number') figures.add(grouped(Math.round(run.samples)));
        }
    }
    return [...figures];
}

async function holdsFigures(page, scorePath) {
    const text = await textOf(page);
    const figures = figuresOf(scorePath);
    const missing = figures.filter((figure) => !text.includes(figure));
    demand(figures.length > 0, 'the scores hold no figure');
    demand(missing.length === 0, `the page lacks ${missing.slice(0, 5).join(', ')}`);
}

const checks = {
    // Nothing in the console, no request but for the page itself.
    async quiet() {
        for (const media of ['light', 'dark']) {
            const page = await open({ media });
            demand(page.complaints.length === 0, page.complaints.slice(0, 3).join('; '));
            await page.close();
        }
    },

    async axe(media) {
        const page = await open({ media });
        // Of all that stands there, also behind what is closed.
        await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
        await page.evaluate(axe);
        const found = await page.evaluate((tags) => window.axe.run(document, { runOnly: tags }), axeTags);
        const serious = found.violations.filter((one) => seriousImpacts.includes(one.impact));
        demand(found.passes.length > 0, 'axe looked at nothing');
        demand(
            serious.length === 0,
            serious.map((one) => `${one.id}: ${one.nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(' | ')}`).join('; '),
        );
        await page.close();
    },

    async narrow(width) {
        const page = await open({ width: Number(width) });
        const sizes = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
        demand(sizes[0] <= sizes[1], `it is ${sizes[0]} px wide in ${sizes[1]}`);
        await page.close();
    },

    async figures(scorePath) {
        const page = await open();
        await holdsFigures(page, scorePath);
        await page.close();
    },

    // Without script all is there, and what only works with it is not.
    async scriptless(scorePath) {
        const page = await open({ script: false });
        await holdsFigures(page, scorePath);
        const filters = await page.$$eval('input[type=search]', (all) => all.filter((one) => one.checkVisibility()).length);
        demand(filters === 0, 'a filter is shown');
        await page.close();
    },

    // Every column that can be sorted, both ways; the numbers are those that the cells carry.
    async sorting() {
        const page = await open();
        const headings = await page.$$('th button');
        demand(headings.length > 0, 'no column can be sorted');
        for (const heading of headings) {
            for (let click = 0; click < 2; click++) {
                const seen = await heading.evaluate((button) => {
                    button.closest('details')?.setAttribute('open', '');
                    button.click();
                    const column = button.closest('th');
                    const cells = [...button.closest('table').tBodies[0].rows].map((row) => row.cells[column.cellIndex]);
                    const values = cells.map((cell) => (cell.dataset.v === undefined ? null : Number(cell.dataset.v)));
                    return { order: column.getAttribute('aria-sort'), values, name: column.textContent.trim() };
                });
                demand(['ascending', 'descending'].includes(seen.order), `${seen.name} does not say how it is sorted`);
                const numbers = seen.values.filter((value) => value !== null);
                const sign = seen.order === 'ascending' ? 1 : -1;
                const sorted = numbers.every((value, i) => i === 0 || sign * (value - numbers[i - 1]) >= 0);
                demand(sorted, `${seen.name} is not ${seen.order}: ${numbers.slice(0, 6)}`);
            }
        }
        await page.close();
    },

    // Only rows with the word are left; without it all are back.
    async filter(word) {
        const page = await open();
        const field = await page.$('input[type=search]');
        demand(field !== null, 'there is no filter');
        const rows = () =>
            field.evaluate((input) => {
                const table = input.closest('section').querySelector('table');
                return [...table.tBodies[0].rows].filter((row) => row.checkVisibility()).map((row) => row.textContent);
            });
        const all = await rows();
        await field.type(word);
        const left = await rows();
        demand(left.length > 0 && left.length < all.length, `${left.length} of ${all.length} rows are left`);
        demand(left.every((row) => row.toLowerCase().includes(word.toLowerCase())), 'a row without the word is left');
        await field.evaluate((input) => {
            input.value = '';
            input.dispatchEvent(new Event('input', { bubbles: true }));
        });
        demand((await rows()).length === all.length, 'rows do not come back');
        await page.close();
    },

    // A link to what is closed opens it.
    async link(fragment) {
        const page = await open({ fragment: `#${fragment}` });
        const isOpen = await page.$eval(`#${fragment}`, (one) => {
            for (let up = one.closest('details'); up !== null; up = up.parentElement.closest('details')) {
                if (!up.open) return false;
            }
            return one.checkVisibility();
        });
        demand(isOpen, 'it stays closed');
        await page.close();
    },

    async print() {
        const page = await open({ media: 'dark' });
        const pdf = await page.pdf({ format: 'A4', printBackground: true, timeout: 120000 });
        demand(Buffer.from(pdf.slice(0, 5)).toString() === '%PDF-', 'it is no PDF');
        // Groups that stand closed share sheets.
        const closed = await page.evaluate(() => document.querySelectorAll('details.group:not([open])').length);
        const sheets = (Buffer.from(pdf).toString('latin1').match(/\/Type\s*\/Page\b/g) || []).length;
        demand(sheets > 0 && (closed === 0 || sheets < closed), `${closed} closed groups on ${sheets} sheets`);
        await page.emulateMediaType('print');
        const seen = await page.evaluate(() => ({
            background: getComputedStyle(document.body).backgroundColor,
            width: document.documentElement.scrollWidth,
        }));
        demand(seen.background === 'rgb(255, 255, 255)' || seen.background === 'rgba(0, 0, 0, 0)', `printed on ${seen.background}`);
        await page.close();
    },

    // Not a check: draws the head of the page, as README.md shows it.
    async picture(path) {
        const page = await open({ width: 1000 });
        await page.screenshot({ path, clip: { x: 0, y: 0, width: 1000, height: 1000 } });
        await page.close();
    },

    // No text of a log has become markup: one script and one style, both the page's own, and no element that it never has.
    async harmless() {
        const page = await open();
        const seen = await page.evaluate(() => ({
            scripts: document.scripts.length,
            styles: document.querySelectorAll('style').length,
            strange: [...document.querySelectorAll('img, iframe, object, embed, link, base, form, video, audio, foreignObject')].length,
            handlers: [...document.querySelectorAll('*')].filter((one) =>
                [...one.attributes].some((attribute) => /^on|^style$/i.test(attribute.name)),
            ).length,
            addresses: [...document.querySelectorAll('[href], [src]')].filter((one) =>
                !(one.getAttribute('href') ?? one.getAttribute('src')).startsWith('#'),
            ).length,
            marked: window.mlscoreWasHere !== undefined,
        }));
        demand(seen.scripts <= 1 && seen.styles === 1, `${seen.scripts} scripts, ${seen.styles} styles`);
        demand(seen.strange === 0 && seen.handlers === 0 && seen.addresses === 0 && !seen.marked, JSON.stringify(seen));
        await page.close();
    },
};

let status = 0;
browser = await puppeteer.launch({
    executablePath: browserPath,
    headless: true,
    protocolTimeout: 300000,
    timeout: 120000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
try {
    for (const name of wanted) {
        const [check, ...needs] = name.split(':');
        try {
            if (!(check in checks)) throw new Error('there is no such check');
            await checks[check](needs.join(':'));
            console.log(`ok ${check}`);
        } catch (error) {
            console.log(`not ok ${name}: ${String(error.message).slice(0, 1000)}`);
        }
    }
} catch (error) {
    console.error(error);
    status = 1;
} finally {
    await browser.close();
}
process.exitCode = status;
