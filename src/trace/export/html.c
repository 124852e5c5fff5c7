/* html.c - the timeline as a page by itself: rows, stepping by keys and
 * mouse, the source beside. Its data are those of json.c. */
#include "trace/export/export.h"

static const char *const head[] = {
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    "<title>timeline</title><style>",
    "body{font:13px sans-serif;margin:0;display:flex;height:100vh}",
    "#left{flex:3;overflow:auto;padding:8px}",
    "#right{flex:2;overflow:auto;border-left:1px solid #ccc;padding:8px}",
    "svg text{font:10px sans-serif}pre{margin:0}",
    ".here{background:#ffe08a}.row{cursor:pointer}",
    "#at{font-weight:bold;min-height:3.6em}",
    ".finding{color:#c00}</style></head><body>",
    "<div id=\"left\"><div id=\"at\" aria-live=\"polite\"></div>",
    "<p>left and right: a step of the row; up and down: another row; n: the ",
    "next finding; g and G: the first and the last step; a click: the step ",
    "before that cycle.</p><div id=\"plot\"></div></div>",
    "<div id=\"right\"><div id=\"state\"></div><hr>",
    "<pre id=\"source\"></pre></div>\n",
};

static const char *const script[] = {
    "const W=900,L=190,H=16;let row=0,mark=0;",
    "const fill={compute:'#4c956c',stall:'#e5e5e5',uncommitted:'#f4a259',",
    "'in flight':'#2c6fbb',landed:'#a9cdf0',phase:'#cdb4db',",
    "gathering:'#b08968',wait:'#dddddd'};",
    "const X=c=>L+c*W/Math.max(1,data.cycles);",
    "const esc=t=>t.replace(/&/g,'&amp;').replace(/</g,'&lt;');",
    "function draw(){let y=20,s='';data.rows.forEach((r,k)=>{",
    "s+=`<text class=\"row\" x=\"${L-6}\" y=\"${y+12}\" text-anchor=\"end\" ",
    "data-row=\"${k}\">${esc(r.name)}</text>`;",
    "for(const i of r.intervals){const x=X(i.begin),w=Math.max(.4,X(i.end)-x);",
    "s+=`<rect class=\"row\" data-row=\"${k}\" x=\"${x}\" ",
    "y=\"${y+i.lane*H+1}\" width=\"${w}\" height=\"${H-2}\" ",
    "fill=\"${fill[i.kind]}\"><title>${esc(r.name+': '+i.name+', '+i.kind+",
    "', cycles '+i.begin+' to '+(i.open?'the end':i.end))}</title></rect>`;",
    "if(w>7*i.name.length)s+=`<text x=\"${x+2}\" y=\"${y+i.lane*H+12}\" ",
    "pointer-events=\"none\">${esc(i.name)}</text>`;}",
    "for(const m of r.marks)s+=`<line x1=\"${X(m.cycle)}\" ",
    "x2=\"${X(m.cycle)}\" y1=\"${y+r.lines*H-3}\" y2=\"${y+r.lines*H}\" ",
    "stroke=\"#000\"/>`;y+=r.lines*H+6;});",
    "for(const f of data.findings)s+=`<line x1=\"${X(f.cycle)}\" ",
    "x2=\"${X(f.cycle)}\" y1=\"14\" y2=\"${y}\" stroke=\"#c00\"><title>",
    "${esc(f.kind+': '+f.message)}</title></line>`;",
    "s+=`<line id=\"cursor\" y1=\"14\" y2=\"${y}\" stroke=\"#000\" ",
    "stroke-dasharray=\"3\"/>`;",
    "plot.innerHTML=`<svg width=\"${L+W+20}\" height=\"${y+10}\">${s}</svg>`;}",
    "function show(){const r=data.rows[row],m=r.marks[mark];",
    "const c=m?m.cycle:0;at.textContent=r.name+', cycle '+c+': '+",
    "(m?m.text+(m.line>0?', line '+m.line:''):'no steps');",
    "const k=document.getElementById('cursor');",
    "k.setAttribute('x1',X(c));k.setAttribute('x2',X(c));",
    "let s='';for(const q of data.rows){const on=q.intervals.filter(",
    "i=>i.begin<=c&&(c<i.end||i.open));s+='<div>'+esc(q.name)+': '+",
    "esc(on.map(i=>i.name+(i.name===i.kind?'':' '+i.kind)).join('; ')||'-')+",
    "'</div>';}for(const f of data.findings)if(f.cycle===c)",
    "s+='<div class=\"finding\">'+esc(f.kind+': '+f.message)+'</div>';",
    "state.innerHTML=s;document.querySelectorAll('#source div').forEach(d=>",
    "{const h=m&&+d.dataset.line===m.line;d.className=h?'here':'';",
    "if(h)d.scrollIntoView({block:'nearest'});});}",
    "function near(c){const k=data.rows[row].marks;let i=0;",
    "while(i+1<k.length&&k[i+1].cycle<=c)i++;mark=i;}",
    "function choose(k){const m=data.rows[row].marks[mark];",
    "row=Math.min(data.rows.length-1,Math.max(0,k));near(m?m.cycle:0);}",
    "function finding(){const m=data.rows[row].marks[mark];",
    "const c=m?m.cycle:-1,all=data.findings;if(!all.length)return;",
    "const f=all.find(x=>x.cycle>c)||all[0];const k=data.rows.findIndex(",
    "r=>r.kind==='warp'&&r.cta===f.cta&&r.warp===f.warp);",
    "row=k<0?row:k;near(f.cycle);}",
    "addEventListener('keydown',e=>{const n=data.rows[row].marks.length;",
    "if(e.key==='ArrowRight'||e.key==='l')mark=Math.min(n-1,mark+1);",
    "else if(e.key==='ArrowLeft'||e.key==='h')mark=Math.max(0,mark-1);",
    "else if(e.key==='ArrowDown'||e.key==='j')choose(row+1);",
    "else if(e.key==='ArrowUp'||e.key==='k')choose(row-1);",
    "else if(e.key==='n')finding();else if(e.key==='g')mark=0;",
    "else if(e.key==='G')mark=Math.max(0,n-1);else return;",
    "e.preventDefault();show();});",
    "plot.addEventListener('click',e=>{const t=e.target.dataset.row;",
    "if(t!==undefined)row=+t;const b=plot.firstChild.getBoundingClientRect();",
    "near((e.clientX-b.left-L)*data.cycles/W);show();});",
    "document.getElementById('source').innerHTML=source.map((t,i)=>",
    "`<div data-line=\"${i+first}\">${String(i+first).padStart(4)} ",
    "${esc(t)}</div>`).join('');if(data.rows.length){draw();show();}",
};

static void put_all(tc_buf *out, const char *const *lines, size_t n) {
    for (size_t i = 0; i < n; i++) {
        tc_buf_puts(out, lines[i]);
    }
}

/* The lines as a list of strings. */
static void put_source(const char *source, tc_buf *out) {
    tc_buf line = TC_BUF_INIT;
    tc_buf_putc(out, '[');
    for (size_t i = 0; source[i] != '\0'; i++) {
        if (source[i] != '\n') {
            tc_buf_putc(&line, source[i]);
        }
        if (source[i] == '\n' || source[i + 1] == '\0') {
            tc_json_text(out, tc_buf_text(&line));
            tc_buf_puts(out, ",\n");
            tc_buf_clear(&line);
        }
    }
    tc_buf_putc(out, ']');
    tc_buf_free(&line);
}

void tc_export_html(const tc_model *m, tc_buf *out) {
    const tc_trace_text *own = tc_trace_text_of(m->trace, TC_LINES_OWN);
    put_all(out, head, sizeof head / sizeof *head);
    tc_buf_puts(out, "<script>\nconst data=");
    tc_export_json(m, out);
    tc_buf_printf(out, ";\nconst first=%d,source=", own ? own->first_line : 1);
    put_source(own != NULL ? own->text : "", out);
    tc_buf_puts(out, ";\nconst at=document.getElementById('at'),"
                     "plot=document.getElementById('plot'),"
                     "state=document.getElementById('state');\n");
    put_all(out, script, sizeof script / sizeof *script);
    tc_buf_puts(out, "\n</script></body></html>\n");
}
